import type { Logger } from '@panel/kit/process';
import type { Authenticator, CredentialReader } from '../auth/authenticator.js';
import type { RateLimiter } from '../limits/limiter.js';
import type { Services } from '../services.js';

export interface SocketDependencies {
  readonly clock: () => Date;
  readonly log: Logger;
  readonly services: Services;
  readonly credentials: CredentialReader;
  readonly authenticator: Authenticator;
  readonly limiter: RateLimiter;
}
