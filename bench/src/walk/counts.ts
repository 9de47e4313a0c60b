/** Processes, in the order in which they are printed. */
export const kinds = ['gateway', 'identity', 'servers', 'files', 'billing', 'admin'];

const root = new URL('../../../', import.meta.url).href;
/** Runs once per served gRPC call; V8 counts an async function at each resumption. */
const serves = / file:\S+\/packages\/rpc\/dist\/src\/call-execution\.js observe@/;
/** Runs once per recorded event. */
const records = / file:\S+\/packages\/outbox\/dist\/src\/models\/collection-outbox\.js add@/;

/** Calls per function of a process, by file and name. */
export type Counts = ReadonlyMap<string, number>;
/** Counts per process. */
export type Round = ReadonlyMap<string, Counts>;

interface Rounds {
  /** With a request. */
  readonly taken: readonly Round[];
  /** With as many events of the activity log as a request records. */
  readonly delivered: readonly Round[];
  readonly idle: readonly Round[];
}

/** Files of ours that ran and gRPC calls that were served. */
export interface Part {
  readonly lines: readonly string[];
  readonly files: number;
  readonly calls: number;
}

/** Whether the process has recorded an event of the activity log. */
export function hasRecorded(counts: Counts | undefined): boolean {
  return callsOf(counts, records) > 0;
}

/**
 * A function belongs to a request when it runs in each of its rounds more often than in any round without a request. So
 * periodic jobs can hide a shared function, and add none.
 */
export function partsOf({ taken, delivered, idle }: Rounds): Record<'request' | 'beside', Part> {
  const request = new GrowingPart();
  const beside = new GrowingPart();
  for (const kind of kinds) {
    const of = (round: Round) => round.get(kind) ?? new Map<string, number>();
    const later = delivered.map(of);
    const all = common(taken.map(of));
    const others = [...later, ...idle.map(of)];
    const isOwn = (key: string, count: number) => others.every((each) => (each.get(key) ?? 0) < count);
    const files = filesOf(new Map([...all].filter(([key, count]) => isOwn(key, count))));
    const calls = callsOf(all, serves) - callsOf(common(later), serves);
    request.add(kind, files, calls);
    const rest = filesOf(all).filter((file) => !files.includes(file));
    beside.add(kind, rest, callsOf(all, serves) - calls);
  }
  return { request, beside };
}

class GrowingPart implements Part {
  readonly lines: string[] = [];
  files = 0;
  calls = 0;

  add(kind: string, files: readonly string[], calls: number): void {
    this.files += files.length;
    this.calls += calls;
    if (files.length > 0) this.lines.push(`\n${kind}: ${files.length} files, ${calls} gRPC calls served`);
    this.lines.push(...files.map((file) => `  ${file}`));
  }
}

/** Functions common to all, with the minimum counts. */
function common(all: readonly Counts[]): Counts {
  const [first = new Map<string, number>(), ...others] = all;
  const least = (key: string, count: number) => Math.min(count, ...others.map((each) => each.get(key) ?? 0));
  return new Map([...first].map(([key, count]) => [key, least(key, count)] as const).filter(([, count]) => count > 0));
}

function callsOf(counts: Counts | undefined, name: RegExp): number {
  return [...(counts ?? [])].find(([key]) => name.test(` ${key}`))?.[1] ?? 0;
}

function filesOf(counts: Counts): string[] {
  const urls = new Set([...counts.keys()].map((key) => key.split(' ')[0] ?? ''));
  return [...urls].map((url) => url.slice(root.length).replace('/dist', '')).sort();
}
