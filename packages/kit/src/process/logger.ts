import { destination, pino, type DestinationStream, type Logger } from 'pino';

export type { Logger } from 'pino';

/** Keys whose values never reach a log, wherever they stand in a logged object (three levels deep). */
const secretKeys = [
  'password',
  'current_password',
  'currentPassword',
  'token',
  'access_token',
  'accessToken',
  'refresh_token',
  'refreshToken',
  'authorization',
  'cookie',
  'secret',
  'serviceSecret',
  'jwtSecret',
  'key',
  'api_key',
  'apiKey',
  'code',
  'recovery_code',
  'grant',
  'actor_token',
];

const maxBufferedBytes = 1024 * 1024;

const redactPaths = secretKeys.flatMap((key) => [key, `*.${key}`, `*.*.${key}`]);

interface LoggerOptions {
  readonly service: string;
  readonly level: string;
  readonly stream?: DestinationStream;
  /** File descriptor to write to; standard output unless given. */
  readonly fd?: number;
  /**
   * For lines whose fields are all named where they are written, and never are objects from elsewhere: nothing is looked
   * through for secrets, which takes ten times as long as the rest of the line.
   */
  readonly isPlain?: boolean;
}

/**
 * JSON lines on standard output (or `stream`), one per event: `time` in ISO 8601, `level` by name, `service`. Values of
 * secret keys read "[redacted]". Control characters are escaped by JSON, so no line can be forged.
 */
export function createLogger(options: LoggerOptions): Logger {
  const redact = options.isPlain ? {} : { redact: { paths: redactPaths, censor: '[redacted]' } };
  return pino(
    {
      level: options.level,
      base: { service: options.service },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      ...redact,
    },
    options.stream ?? openDestination(options.fd ?? 1),
  );
}

/** Lines that a full disk does not take are dropped beyond a bound: a process must not end, or grow, because of its log. */
function openDestination(fd: number): DestinationStream {
  const stream = destination({ dest: fd, sync: true, maxLength: maxBufferedBytes });
  stream.on('error', () => undefined);
  return stream;
}
