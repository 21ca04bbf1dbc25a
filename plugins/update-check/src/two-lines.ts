/** A notice in agent-vm's form: what is newer, then what to do. */
export const twoLines = (news: string, advice: string): string => `==> ${oneLine(news)}\n==> ${oneLine(advice)}`;

/** Names and tags come from elsewhere: no line breaks, no escape sequences, nothing that turns text around. */
const oneLine = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim();
