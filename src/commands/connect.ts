import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import {BaseCommand} from '../base-command.js';
import {parseDuration} from '../config/settings.js';
import {type ConnectReport, connectUrl} from '../readiness/connect-url.js';
import {connectText} from '../views/connect.js';

export default class Connect extends BaseCommand {
  static override summary = 'Connect to a URL once, and show where the time went.';
  static override description =
    'Resolve, connect, TLS, request and first byte, each by itself: a half second in connect is invisible in the server. Goes through no proxy and follows no redirect. A certificate that Node does not trust (NODE_EXTRA_CA_CERTS adds an authority) ends it, unless --any-certificate. Says of a refused connection whether a socket is bound to the port (it does not listen yet) or nothing is there; one that was bound with SO_REUSEADDR cannot be told from nothing. Exit status 1 without an answer; any HTTP status is an answer.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> http://localhost:8080/health',
    {
      description: 'Try again while nobody listens, for at most 5 seconds',
      command: '<%= config.bin %> <%= command.id %> http://localhost:8080/ --wait 5s',
    },
    {
      description: 'A server of your own with a certificate of its own',
      command: '<%= config.bin %> <%= command.id %> https://localhost:8443/ --any-certificate',
    },
  ];
  static override args = {url: Args.string({required: true, description: 'http or https'})};
  static override flags = {
    wait: Flags.string({default: '0', helpValue: 'DURATION', description: 'how long to try again while refused'}),
    'any-certificate': Flags.boolean({default: false, description: 'go on whatever the certificate is'}),
    limit: Flags.string({default: '10s', helpValue: 'DURATION', description: 'what any other part may take'}),
  };

  async run(): Promise<ConnectReport> {
    const {args, flags} = await this.parse(Connect);
    const [wait, limit] = [parseDuration(flags.wait), parseDuration(flags.limit)];
    if (wait === undefined || limit === undefined) {
      return this.fail({reason: 'bad-argument', detail: 'A limit must be a duration such as 250ms, 4s or 10m.'});
    }
    if (!URL.canParse(args.url) || !/^https?:$/.test(new URL(args.url).protocol)) {
      return this.fail({reason: 'bad-argument', detail: `'${args.url}' is no http or https URL.`});
    }
    const url = new URL(args.url);
    url.username = '';
    url.password = '';
    const report = await connectUrl(url, {
      waitMs: wait,
      limitMs: limit,
      anyCertificate: flags['any-certificate'],
    });
    this.log(connectText(report));
    if (report.fault !== null) process.exitCode = 1;
    return report;
  }
}
