import type { Installation } from '../../installation/installation.js';
import type { Person } from '../../installation/population.js';
import type { Customer } from './customer.js';

export interface Scene {
  /** Its first gateway is without limits: what is prepared goes through it. */
  readonly installation: Installation;
  /** The gateway with limits, as `host:port`. */
  readonly listen: string;
  readonly person: Person;
  /** Other customers. */
  readonly others: readonly Person[];
  /** The same person at the gateway with limits. */
  readonly customer: Customer;
  /** Servers with files, of this customer. */
  readonly serverIds: readonly string[];
}

/** Of the 95th percentiles beside the work to those alone. */
export interface Bounds {
  readonly target: number;
  readonly floor: number;
}

/** What one customer does to the others. */
export interface Part {
  readonly name: string;
  /** Default: those of the row. */
  readonly bounds?: Bounds;
  /** Null when what it needs is not installed. */
  prepare(scene: Scene): Promise<NoisyWork | null>;
}

export interface NoisyWork {
  /** Resolves soon after the signal aborts, or when a rate limit allows no more. */
  act(signal: AbortSignal): Promise<void>;
  /** Of other customers, in both turns: milliseconds from a command to its line in the console. */
  probe?(signal: AbortSignal): Promise<readonly number[]>;
  /** Ends what continues after a turn. */
  afterTurn?(): Promise<void>;
  /** Ends what the part started. */
  end?(): Promise<void>;
}
