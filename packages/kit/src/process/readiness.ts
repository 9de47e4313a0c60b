import { messageOf } from '../errors/errors.js';

export type ReadinessCheck = () => Promise<void>;

interface Readiness {
  /** Failing checks with reasons; "stopping" once stopped. */
  readonly failing: () => readonly string[];
  readonly stop: () => void;
}

const intervalMs = 2_000;
const checkTimeoutMs = 3_000;

/** Runs `checks` every 2 s, each with a 3 s deadline. */
export async function startReadiness(
  checks: Readonly<Record<string, ReadinessCheck>>,
  onChange: (isReady: boolean, failing: readonly string[]) => void,
): Promise<Readiness> {
  let failing: readonly string[] = ['starting'];
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  const round = async () => {
    const results = await Promise.all(Object.entries(checks).map(async ([name, check]) => failureOf(name, check)));
    if (isStopped) return;
    const before = failing.length === 0;
    failing = results.filter((result) => result !== null);
    if (before !== (failing.length === 0)) onChange(failing.length === 0, failing);
    timer = setTimeout(() => void round(), intervalMs).unref();
  };
  await round();
  return {
    failing: () => failing,
    stop: () => {
      isStopped = true;
      clearTimeout(timer);
      failing = ['stopping'];
    },
  };
}

async function failureOf(name: string, check: ReadinessCheck): Promise<string | null> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${checkTimeoutMs} ms`)), checkTimeoutMs);
  });
  try {
    await Promise.race([check(), timeout]);
    return null;
  } catch (error) {
    return `${name}: ${messageOf(error)}`;
  } finally {
    clearTimeout(timer);
  }
}
