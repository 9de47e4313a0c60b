import { isIP } from 'node:net';
import { z } from 'zod';

/** Invalid environment. One line per problem. */
export class ConfigError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(problems.join('; '));
    this.name = 'ConfigError';
  }
}

/** Only a `config.ts` reads `process.env`; other files receive this. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Empty counts as unset. Throws ConfigError with all problems. */
export function parseEnvironment<S extends z.ZodRawShape>(env: Environment, shape: S): z.output<z.ZodObject<S>> {
  const given = Object.fromEntries(
    Object.keys(shape)
      .map((name) => [name, env[name]] as const)
      .filter(([, value]) => value !== undefined && value !== ''),
  );
  const result = z.object(shape).safeParse(given);
  if (result.success) return result.data;
  const problems = new Map<string, string>();
  for (const issue of result.error.issues) {
    const name = String(issue.path[0]);
    const problem = given[name] === undefined ? `is not set: ${hintOf(shape, name)}` : `is not valid: ${issue.message}`;
    if (!problems.has(name)) problems.set(name, `${name} ${problem}`);
  }
  throw new ConfigError([...problems.values()]);
}

function hintOf(shape: z.ZodRawShape, name: string): string {
  const field = shape[name] as z.ZodType | undefined;
  return field?.description ?? 'set it and start again';
}

/** `host:port`; port 0 means any free one. */
export const listenAddress = z
  .string()
  .regex(/^(\[[0-9a-fA-F:.]+\]|[^:\s]+):\d{1,5}$/, 'must look like 127.0.0.1:7101')
  .refine((value) => Number(value.slice(value.lastIndexOf(':') + 1)) <= 65535, 'must have a port of at most 65535');

/** At least 32 characters, not one repeated. */
export const secret = z
  .string()
  .min(32, 'must be at least 32 characters of random text; make one with: openssl rand -base64 48')
  .refine(
    (value) => new Set(value).size >= 8,
    'must be random text, not a repeated pattern; make one with: openssl rand -base64 48',
  );

/** 15m, 7d, 30s, 12h or 500ms, parsed to milliseconds. */
export const duration = z
  .string()
  .regex(/^\d+(ms|s|m|h|d)$/, 'must be a number with ms, s, m, h or d, like 15m')
  .transform(parseDurationMs);

const unitMs: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

function parseDurationMs(text: string): number {
  const match = /^(\d+)(ms|s|m|h|d)$/.exec(text);
  return match ? Number(match[1]) * (unitMs[match[2] ?? ''] ?? 0) : 0;
}

export const integer = (min: number, max: number) =>
  z
    .string()
    .regex(/^-?\d{1,15}$/, 'must be a whole number')
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be between ${min} and ${max}`);

export const wordList = z.string().transform((text) =>
  text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== ''),
);

const addressOrRange = /^[0-9a-fA-F:.]+(\/\d{1,3})?$/;

/** Comma-separated addresses and CIDR ranges. */
export const addressRanges = wordList.refine(
  (words) => words.every((word) => addressOrRange.test(word) && isIP(word.split('/')[0] ?? '') !== 0),
  'must be addresses or CIDR ranges with commas between them, like 10.0.0.0/8,192.0.2.1',
);

/** For operators' addresses: none, only loopback, or all. */
export const localAddresses = z.enum(['deny', 'loopback', 'allow']).default('deny');
export type LocalAddresses = z.output<typeof localAddresses>;

export const origins = wordList.refine(
  (words) => words.every((word) => URL.canParse(word) && new URL(word).origin === word),
  'must be origins with commas between them, like https://panel.example.com',
);
