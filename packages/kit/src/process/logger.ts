import { destination, pino, type DestinationStream, type Logger } from 'pino';
import { AppError } from '../errors/errors.js';
import { failedCallOf } from '../errors/failed-call.js';

export type { Logger } from 'pino';

/** Redacted keys, up to three levels deep. */
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

/** The code of an error or process is no secret: `code` is one where people type it, as text. */
function censor(value: unknown, path: readonly string[]): unknown {
  const isFailure = path.at(-1) === 'code' && (path[0] === 'err' || typeof value === 'number');
  return isFailure ? value : '[redacted]';
}

/** Of another process or a connection: it explains itself, while a defect of this process needs its stack. */
function isExpected(error: Error, call: string | undefined): boolean {
  if (error instanceof AppError) return error.kind !== 'internal' || call !== undefined;
  return 'syscall' in error;
}

/** With the call that failed; the stack of an expected failure only at level debug. */
function presentError(error: unknown, level: string): unknown {
  if (!(error instanceof Error)) return error;
  const { stack, ...facts } = pino.stdSerializers.err(error);
  const call = failedCallOf(error);
  const isShort = isExpected(error, call) && level !== 'debug' && level !== 'trace';
  return { ...facts, ...(call === undefined ? {} : { call }), ...(isShort ? {} : { stack }) };
}

const maxBufferedBytes = 1024 * 1024;

/** Errors by name: for a wildcard the censor does not get to know the first key. */
const places = ['', 'err.', 'err.*.', '*.', '*.*.'];
const redactPaths = places.flatMap((place) => secretKeys.map((key) => `${place}${key}`));

interface LoggerOptions {
  readonly service: string;
  readonly level: string;
  readonly stream?: DestinationStream;
  /** Default: standard output. */
  readonly fd?: number;
  /** Skips redaction, nine tenths of a line's time: for explicit fields without foreign objects. */
  readonly isPlain?: boolean;
}

/**
 * JSON lines: ISO 8601 `time`, `level` by name, `service`; of `err` the call that failed. Secret keys read
 * "[redacted]". JSON escapes control characters, so lines cannot be forged.
 */
export function createLogger(options: LoggerOptions): Logger {
  const redact = options.isPlain ? {} : { redact: { paths: redactPaths, censor } };
  return pino(
    {
      level: options.level,
      base: { service: options.service },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: (error: unknown) => presentError(error, options.level) },
      ...redact,
    },
    options.stream ?? openDestination(options.fd ?? 1),
  );
}

/** Drops lines beyond a bound on a full disk. */
function openDestination(fd: number): DestinationStream {
  const stream = destination({ dest: fd, sync: true, maxLength: maxBufferedBytes });
  stream.on('error', () => undefined);
  return stream;
}
