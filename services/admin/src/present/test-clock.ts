import type { TestClock } from '@panel/protos/admin';
import type { ClockView } from '../test-clock/clock-keeper.js';

/** At the real time `at`. */
export function presentTestClock({ offsetMs, targetMs, waitingFor }: ClockView, at: Date): TestClock {
  const shifted = (ms: number) => new Date(at.getTime() + ms);
  return {
    now: shifted(offsetMs),
    offsetSeconds: Math.floor(offsetMs / 1_000),
    targetTime: targetMs === null ? undefined : shifted(targetMs),
    settled: targetMs === null && waitingFor.length === 0,
    waitingFor: [...waitingFor],
  };
}
