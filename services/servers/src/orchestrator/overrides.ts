import type { Failpoint } from '@panel/kit/process';
import type { RuntimeFactory } from '../node-clients/runtimes.js';
import type { CommandLimiter } from '../console/command-limiter.js';
import type { HoldsPermission, StartBackup } from '../scheduling/dependencies.js';

/** For tests. */
export interface Overrides {
  readonly createRuntime?: RuntimeFactory;
  readonly failpoint?: Failpoint;
  readonly clock?: () => Date;
  readonly commandLimiter?: CommandLimiter;
  readonly startBackup?: StartBackup;
  readonly holdsPermission?: HoldsPermission;
}
