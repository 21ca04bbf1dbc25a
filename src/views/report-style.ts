/** Colours of charts, for light and dark. Every text colour keeps a contrast of at least 4.5 to its ground. */
export const chartColours = `
:root{--paper:#fbfaf7;--card:#fff;--ink:#1c1f24;--quiet:#5a616b;--line:#dfe1e6;--path:#c2263d;
--client:#64748b;--pre-boot:#c27803;--boot:#2563c9;--run:#1c8a55;--teardown:#8b8f98;--unattributed:#a3a3a3;--step:#7a4fd0;
--a:#2563c9;--b:#c2570c;color-scheme:light dark}
@media (prefers-color-scheme:dark){:root{--paper:#14161a;--card:#1c1f25;--ink:#e8eaee;--quiet:#a3abb8;--line:#333843;
--path:#ff6b7f;--client:#8da0ba;--pre-boot:#e8a33a;--boot:#6ea2f5;--run:#4cc38a;--teardown:#9aa0ab;--unattributed:#777;
--step:#b294f5;--a:#6ea2f5;--b:#f0925a}}
.bar{fill:var(--step)}.in-client{fill:var(--client)}.in-pre-boot{fill:var(--pre-boot)}.in-boot{fill:var(--boot)}
.in-run{fill:var(--run)}.in-teardown{fill:var(--teardown)}.in-unattributed{fill:var(--unattributed)}
.span,.part{fill-opacity:.6}.path{fill:var(--path)}.milestone{fill:var(--ink)}`;

/** The rest of the report's page. */
export const pageStyle = `
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:15px/1.5 system-ui,-apple-system,"Segoe UI",sans-serif}
main,header,footer,nav ul{max-width:1120px;margin:0 auto;padding:0 24px}
header{padding-top:36px}
h1{font-size:27px;line-height:1.2;margin:0 0 6px;overflow-wrap:anywhere}
h2{font-size:19px;margin:0 0 4px}h3{font-size:15px;margin:22px 0 6px}h3 .quiet{font-weight:400}
p{margin:0 0 12px;max-width:75ch;overflow-wrap:anywhere}
.quiet{color:var(--quiet)}
.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
.skip{position:absolute;left:-9999px}.skip:focus{left:16px;top:8px;background:var(--card);padding:6px 12px;z-index:2}
nav{position:sticky;top:0;background:var(--paper);border-bottom:1px solid var(--line);z-index:1;margin-top:18px}
nav ul{list-style:none;display:flex;gap:22px;padding-top:8px;padding-bottom:8px}
a{color:var(--boot)}nav a{text-decoration:none;font-weight:600}nav a:hover{text-decoration:underline}
:focus-visible{outline:3px solid var(--boot);outline-offset:2px;border-radius:3px}
dl.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(150px,1fr));gap:12px;margin:20px 0 0}
dl.tiles>div{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:12px 16px}
dl.tiles dt{color:var(--quiet);font-size:13px}
dl.tiles dd{margin:0;font-size:23px;font-weight:650;font-variant-numeric:tabular-nums}
dl.tiles dd small{font-size:13px;font-weight:400;color:var(--quiet);display:block}
section{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:22px 24px;margin:22px 0;scroll-margin-top:56px}
.scroll{overflow-x:auto;position:relative}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
th,td{text-align:left;padding:5px 10px;border-bottom:1px solid var(--line);vertical-align:top;font-weight:400}
thead th{color:var(--quiet);font-size:13px;white-space:nowrap}
td.figure,th.figure{text-align:right;white-space:nowrap}
tbody th{overflow-wrap:anywhere}
table.waterfall td,table.waterfall th{padding-top:0;padding-bottom:0;border-bottom:0;height:24px;line-height:24px;vertical-align:middle}
table.waterfall{table-layout:fixed;min-width:780px}
table.waterfall .name{width:20%}table.waterfall .start,table.waterfall .long{width:86px}table.waterfall .more{width:16%}
table.waterfall tbody th{white-space:nowrap;overflow:hidden;text-overflow:ellipsis;font-weight:600}
table.waterfall tbody tr.inner th{font-weight:400;color:var(--quiet);padding-left:26px}
table.waterfall td.more{color:var(--quiet);font-size:13px;white-space:nowrap;overflow:hidden;text-overflow:ellipsis}
table.waterfall tbody tr:hover{background:color-mix(in srgb,var(--line) 45%,transparent)}
table.waterfall td.chart,table.waterfall th.chart{padding-left:0;padding-right:0}
td.chart svg,th.chart svg{display:block;width:100%;height:24px;overflow:visible}
tr.group th{padding-top:8px!important;height:32px!important;color:var(--quiet);font-size:12px;font-weight:400!important;text-transform:uppercase;letter-spacing:.06em}
svg text{fill:var(--quiet);font-size:12px}
svg text.strong{fill:var(--ink);font-weight:600}
.grid{stroke:var(--line);stroke-width:1}.mark{stroke:var(--ink);stroke-width:1;stroke-dasharray:2 3;opacity:.45}
.ready{stroke:var(--run);stroke-width:1.5}
figure{margin:0}svg.wide{display:block;width:100%;height:auto}
.dot{fill:var(--boot);fill-opacity:.6}.level{stroke:var(--ink);stroke-width:2;fill:none}
.change{stroke:var(--path);stroke-width:1.5;stroke-dasharray:4 3}svg text.change-text{fill:var(--path);font-weight:600;stroke:none}
.side-a{fill:var(--a)}.side-b{fill:var(--b)}.side-a.dots,.side-b.dots{fill-opacity:.4}.box{fill-opacity:.22}
.median{stroke:var(--ink);stroke-width:2.5}
.key{display:inline-block;width:11px;height:11px;border-radius:3px;margin-right:6px}
.key.a{background:var(--a)}.key.b{background:var(--b)}.key.critical{background:var(--path)}
ul.changes{padding-left:20px}ul.changes strong{color:var(--path)}
details{margin:14px 0}summary{cursor:pointer;color:var(--boot);font-weight:600}
footer{padding-bottom:44px;font-size:13px;color:var(--quiet)}
@media print{nav,.skip{display:none}section{break-inside:avoid}}
@media (max-width:700px){main,header,footer,nav ul{padding-left:14px;padding-right:14px}section{padding:16px 14px}}`;
