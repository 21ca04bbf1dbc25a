/**
 * What has a step run that was put off to its first use: the first time that this happens in the launch, on this machine
 * (not inside a VM).
 */
export type Trigger = CommandTrigger | FileTrigger | PortTrigger;

/** A program of this name is started by way of PATH; a name, without a slash. */
export interface CommandTrigger {
  readonly command: string;
}

/**
 * A file is opened for reading: its path (absolute, below `~/`, or from the launch's directory; there must be nothing yet),
 * or in capital letters the name of a variable, in which the target then finds the path of a file of ours.
 */
export interface FileTrigger {
  readonly file: string;
}

/**
 * The user connects to a port on 127.0.0.1: its number, or in capital letters the name of a variable, in which the target
 * then finds the number of a free one, or variables and what they are set to, with `{port}` in the place of the number.
 * Other users of the machine are refused (root is not).
 */
export interface PortTrigger {
  readonly port: number | string | Readonly<Record<string, string>>;
}

/** What a step gives to the command that it was put off for. */
export interface CommandUse {
  /** Added to the environment of that command, each time it runs in the launch; nothing else of the target sees it. */
  readonly env?: Readonly<Record<string, string>>;
}

/** What a step gives to who opens the file. It is in memory only (tmpfs), for the user alone, until the launch is over. */
export interface FileUse {
  readonly text: string;
}

/** Where a step has everybody joined to who connects to the port: a TCP address, or the path of a Unix socket. */
export type PortUse =
  /** `host` defaults to 127.0.0.1. */
  {readonly host?: string; readonly port: number} | {readonly socket: string};
