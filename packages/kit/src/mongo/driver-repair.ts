import { createRequire } from 'node:module';
import type { Socket } from 'node:net';

/** What is used of a connection of the driver: none of it is public. */
interface DriverConnection {
  readonly closed: boolean;
  readonly socket: Socket;
  cleanup: (this: DriverConnection, error: Error) => void;
}

let isRepaired = false;

/**
 * A command of MongoDB's driver (7.8, 7.9) that is written to a socket which has just been destroyed waits for its `drain` or
 * `error`, and neither comes: the command never ends. In a monitor that is the end of all commands, because it never again
 * finds that the database is back. And the error of a socket that the other side has closed reaches the caller as it is, not
 * as a MongoNetworkError. Here the end of a connection ends such a write, with the error that the connection ended with.
 * Throws TypeError when the driver has changed so that this is to be looked at again.
 */
export function repairDriver(): void {
  if (isRepaired) return;
  const requireFromMongoose = createRequire(createRequire(import.meta.url).resolve('mongoose'));
  const { prototype } = (
    requireFromMongoose('mongodb/lib/cmap/connection.js') as { Connection: { prototype: DriverConnection } }
  ).Connection;
  const { cleanup } = prototype;
  if (typeof cleanup !== 'function') throw new TypeError('the connections of the driver have no cleanup any more');
  prototype.cleanup = function (error) {
    const hasEnded = this.closed;
    cleanup.call(this, error);
    // The connection listens for errors of its socket all its life, so that this one always has a listener.
    if (!hasEnded) this.socket.emit('error', error);
  };
  isRepaired = true;
}
