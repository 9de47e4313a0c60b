import type { Socket } from 'node:net';
import { firstOf } from '@panel/kit/async';
import { databaseCondition, connectMongo, type MongoConnection } from '@panel/kit/mongo';
import { waitUntil } from '@panel/kit/testing';
import { testMongoUrl } from '../../src/index.js';
import { expect } from 'chai';

/** Private driver parts: sockets of commands and monitor. */
interface Topology {
  readonly s: { readonly servers: ReadonlyMap<string, DriverServer> };
}
interface DriverServer {
  readonly pool: { readonly connections: Iterable<{ readonly socket: Socket }> };
  readonly monitor: { connection: DriverConnection | null };
}
interface DriverConnection {
  readonly socket: Socket;
  command(namespace: unknown, command: object, options: object): Promise<unknown>;
}

describe('repair of the driver', () => {
  let mongo: MongoConnection;
  beforeEach(async () => {
    mongo = await connectMongo(testMongoUrl('driver'), { appName: 'test' });
  });
  afterEach(async () => mongo.close(true));

  const serverOf = () => {
    const [server] = (mongo.getClient() as unknown as { topology: Topology }).topology.s.servers.values();
    if (!server) throw new Error('the driver knows no server');
    return server;
  };
  const ping = async () => mongo.db?.command({ ping: 1 });
  const failureOf = async (work: Promise<unknown> | undefined): Promise<unknown> => {
    const result = Promise.resolve(work).then(
      () => 'succeeded',
      (error: unknown) => error,
    );
    return firstOf(result, 5_000, 'is still waiting');
  };

  it('ends a command that is written to a socket that is just going, as one of a database that is away', async () => {
    await ping();
    for (const { socket } of serverOf().pool.connections) socket.destroy();
    const failure = await failureOf(ping());
    expect(databaseCondition(failure)?.reason, String(failure)).to.equal('DATABASE_UNAVAILABLE');
    await ping();
  });

  it('takes the error of a socket that the other side has closed for a database that is away', async () => {
    await ping();
    for (const { socket } of serverOf().pool.connections) {
      socket.write = () => {
        socket.destroy(Object.assign(new Error('This socket has been ended by the other party'), { code: 'EPIPE' }));
        return false;
      };
    }
    const failure = await failureOf(ping());
    expect(databaseCondition(failure)?.reason, String(failure)).to.equal('DATABASE_UNAVAILABLE');
    await ping();
  });

  it('ends the heartbeat of a monitor whose socket is just going', async () => {
    const { monitor } = serverOf();
    const connection = await waitUntil('the first heartbeat', () => monitor.connection);
    connection.socket.destroy();
    const heartbeat = connection.command({ db: 'admin', toString: () => 'admin.$cmd' }, { hello: 1 }, {});
    expect(String(await failureOf(heartbeat))).to.match(/MongoNetworkError/);
    await ping();
  });
});
