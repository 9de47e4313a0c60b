import fc from 'fast-check';

export const services = ['identity', 'servers', 'files', 'billing', 'admin'] as const;
export type ServiceName = (typeof services)[number];

/** Connections with a proxy before their end. */
const links = [
  'gateway',
  'redis',
  ...services,
  'identity database',
  'servers database',
  'files database',
  'billing database',
  'admin database',
  'engine',
] as const;
export type Link = (typeof links)[number];
const processes = ['gateway', 'mongo', 'redis', ...services] as const;

/** Of the node's games: processes of this machine, or containers of its engine. */
export const runtimes = ['process', 'docker'] as const;
export type GameRuntime = (typeof runtimes)[number];

export const clientCount = 4;
/** A pause exceeds it. */
export const leaseMs = 4_000;

/** One thing that goes wrong, `atMs` after the begin of its round, for `forMs`. */
export type Fault = { readonly atMs: number; readonly forMs: number } & (
  | { readonly kind: 'refuse' | 'hang' | 'delay' | 'cut' | 'lose replies'; readonly where: Link }
  | { readonly kind: 'kill'; readonly where: (typeof processes)[number] }
  | { readonly kind: 'pause'; readonly where: (typeof processes)[number] }
  | { readonly kind: 'fill'; readonly where: 'disk' }
);

const kinds = [
  ['write file', 6],
  ['rename file', 3],
  ['delete file', 2],
  ['back up', 3],
  ['restore', 2],
  ['delete backup', 1],
  ['command', 5],
  ['power', 2],
  ['run schedule', 2],
  ['create server', 2],
  ['delete server', 1],
  ['use key', 2],
  ['end session', 1],
  ['share', 2],
  ['grant credits', 3],
  ['buy', 3],
] as const;

/** One thing that a client does. `pick` chooses what to do it with. */
export interface Step {
  readonly kind: (typeof kinds)[number][0];
  readonly pick: number;
  readonly bytes: number;
  readonly waitMs: number;
}

export interface Round {
  readonly faults: readonly Fault[];
  /** By client. */
  readonly steps: readonly (readonly Step[])[];
  /** Chooses the backup that is restored at the end. */
  readonly pick: number;
}

const atMs = fc.integer({ min: 200, max: 4_000 });
const forMs = fc.integer({ min: 1_000, max: 4_000 });
const pick = fc.nat(1_000_000);

const fault = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constantFrom('refuse', 'hang', 'delay', 'cut', 'lose replies'),
      where: fc.constantFrom(...links),
      atMs,
      forMs,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('kill'),
      where: fc.constantFrom(...processes),
      atMs,
      forMs: fc.constant(0),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('pause'),
      where: fc.constantFrom(...processes),
      atMs,
      forMs: fc.integer({ min: leaseMs + 1_000, max: leaseMs + 3_000 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('fill'), where: fc.constant('disk'), atMs, forMs }) },
) as fc.Arbitrary<Fault>;

const step = fc.record({
  kind: fc.oneof(...kinds.map(([kind, weight]) => ({ weight, arbitrary: fc.constant(kind) }))),
  pick,
  bytes: fc.oneof(fc.integer({ min: 1, max: 2_000 }), fc.integer({ min: 100_000, max: 600_000 })),
  waitMs: fc.nat(200),
});

const round: fc.Arbitrary<Round> = fc.record({
  faults: fc.uniqueArray(fault, { minLength: 2, maxLength: 4, selector: ({ where }) => where }),
  steps: fc.array(fc.array(step, { minLength: 10, maxLength: 13 }), { minLength: clientCount, maxLength: clientCount }),
  pick,
});

/** The same for the same seed; more rounds begin with the same ones. */
export function planRounds(seed: number, count: number): readonly Round[] {
  return fc.sample(round, { seed, numRuns: count, unbiased: true });
}

export function describeFault({ kind, where, atMs, forMs }: Fault): string {
  return `${kind} ${where} at ${atMs} ms${forMs > 0 ? ` for ${forMs} ms` : ''}`;
}
