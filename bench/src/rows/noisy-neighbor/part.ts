import type { Installation } from '../../installation/installation.js';
import type { Person } from '../../installation/population.js';
import type { Customer } from './customer.js';

export interface Scene {
  /** Its first gateway is without limits: what is prepared goes through it. */
  readonly installation: Installation;
  /** The gateway with limits, as `host:port`. */
  readonly listen: string;
  readonly person: Person;
  /** The same person at the gateway with limits. */
  readonly customer: Customer;
  /** Servers with files, of this customer. */
  readonly serverIds: readonly string[];
}

/** What one customer does to the others. */
export interface Part {
  readonly name: string;
  /** Null when what it needs is not installed. */
  prepare(scene: Scene): Promise<NoisyWork | null>;
}

export interface NoisyWork {
  /** Resolves soon after the signal aborts, or when a rate limit allows no more. */
  act(signal: AbortSignal): Promise<void>;
  /** Ends what continues after a turn. */
  afterTurn?(): Promise<void>;
  /** Ends what the part started. */
  end?(): Promise<void>;
}
