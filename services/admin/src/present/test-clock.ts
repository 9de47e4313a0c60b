import type { TestClock } from '@panel/protos/admin';
import type { ShownClock } from '../usecases/test-clock/get-test-clock.js';

export function presentTestClock({ offsetMs, targetMs, waitingFor, at }: ShownClock): TestClock {
  const shifted = (ms: number) => new Date(at.getTime() + ms);
  return {
    now: shifted(offsetMs),
    offsetSeconds: Math.floor(offsetMs / 1_000),
    targetTime: targetMs === null ? undefined : shifted(targetMs),
    settled: targetMs === null && waitingFor.length === 0,
    waitingFor: [...waitingFor],
  };
}
