import { Connection } from 'mongodb/lib/cmap/connection.js';
import type { Socket } from 'node:net';

interface DriverConnection {
  readonly closed: boolean;
  readonly socket: Socket;
  cleanup: (this: DriverConnection, error: Error) => void;
}

let isRepaired = false;

/**
 * Workaround for MongoDB's driver (7.8, 7.9): a command written to a just destroyed socket waits forever for `drain` or
 * `error`. In a monitor this blocks all commands. Also, a closed socket's error is no MongoNetworkError. Here the
 * connection's end fails such a write. Throws TypeError when the driver has changed and needs a review.
 */
export function repairDriver(): void {
  if (isRepaired) return;
  const { prototype } = Connection as { readonly prototype: DriverConnection };
  const { cleanup } = prototype;
  if (typeof cleanup !== 'function') throw new TypeError('the connections of the driver have no cleanup any more');
  prototype.cleanup = function (error) {
    const hasEnded = this.closed;
    cleanup.call(this, error);
    // The connection always listens for its socket's errors.
    if (!hasEnded) this.socket.emit('error', error);
  };
  isRepaired = true;
}
