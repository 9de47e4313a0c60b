import { createServer } from 'node:http';
import { connect, createActorSigner, serviceActor } from '@panel/rpc';
import { ConsoleServiceService } from '@panel/protos/servers';
import { WebSocketServer } from 'ws';

/** The naive way: every line to every socket by `ws.send`. */
const wss = new WebSocketServer({ noServer: true, perMessageDeflate: false });
const server = createServer();
server.on('upgrade', (request, socket, head) => {
  wss.handleUpgrade(request, socket, head, (client) => {
    client.send(JSON.stringify({ type: 'status', status: 'running' }));
    client.on('error', () => client.terminate());
  });
});
const address = process.env.SERVERS_ADDRESS ?? '';
const connection = connect({
  address,
  signer: createActorSigner(process.env.SERVICE_SECRET ?? ''),
  actor: serviceActor('plain'),
});
server.listen(0, '127.0.0.1', () => {
  const bound = server.address();
  process.send?.({ type: 'ready', listen: `127.0.0.1:${typeof bound === 'object' && bound ? bound.port : 0}` });
});
process.once('SIGTERM', () => process.exit(0));
process.once('disconnect', () => process.exit(0));

const consoles = connection.client(ConsoleServiceService);
for await (const { events } of consoles.watchServer({ serverId: 'one', historyLines: 0 })) {
  for (const { event } of events) {
    if (event?.$case !== 'console') continue;
    const message = JSON.stringify({
      type: 'console_output',
      message: event.value.text,
      at: event.value.time?.toISOString(),
    });
    for (const client of wss.clients) client.send(message);
  }
}
