import {
  type FollowTestClockRequest,
  type FollowTestClockResponse,
  TestClockServiceService,
} from '@panel/protos/admin';
import type { Connection } from '../client.js';

/** Answers at another round than the known one, or after `waitMs`. */
export interface ClockSource {
  follow(report: FollowTestClockRequest, signal: AbortSignal): Promise<FollowTestClockResponse>;
}

const answerMs = 2_000;

export function adminClockSource(connection: Connection): ClockSource {
  const { followTestClock } = connection.client(TestClockServiceService);
  return {
    follow: async (report, signal) => followTestClock(report, { signal, timeoutMs: report.waitMs + answerMs }),
  };
}
