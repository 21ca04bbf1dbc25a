/* A small HTTP server that tells its milestones. PORT in the environment. */
import {appendFileSync} from 'node:fs';
import {createServer} from 'node:http';

const tell = (name) => {
  const path = process.env.BOOTCUT_TIMELINE;
  if (path === undefined) return;
  appendFileSync(path, `${name}\t${JSON.stringify({at: Number(process.hrtime.bigint()) / 1e6})}\n`);
};

tell('code runs');
const server = createServer((_request, response) => response.end('ok'));
server.listen(Number(process.env.PORT), '127.0.0.1', () => tell('listening'));
