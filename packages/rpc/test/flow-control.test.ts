import { once } from 'node:events';
import { connect, type Settings } from 'node:http2';
import { expect } from 'chai';
import { createActorSigner, startGrpcServer } from '@panel/rpc';
import { createLogger } from '@panel/kit/process';

describe('gRPC flow-control window', () => {
  it('accepts 1 MiB in flight per stream and 4 MiB per connection', async () => {
    const server = await startGrpcServer([], {
      listen: '127.0.0.1:0',
      signer: createActorSigner('a-service-secret-of-enough-length-012'),
      log: createLogger({ service: 'test', level: 'silent' }),
    });
    const session = connect(`http://${server.address}`);
    try {
      const [settings] = (await once(session, 'remoteSettings')) as [Settings];
      expect(settings.initialWindowSize).to.equal(1024 * 1024);
      await new Promise<void>((resolve, reject) => {
        session.ping((error) => (error ? reject(error) : resolve()));
      });
      expect(session.state.remoteWindowSize).to.equal(4 * 1024 * 1024);
    } finally {
      session.destroy();
      await server.stop(0);
    }
  });
});
