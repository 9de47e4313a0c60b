import { connect, createActorSigner, serviceActor } from '@panel/rpc';
import { ConsoleServiceService } from '@panel/protos/servers';

/** As a gateway; reports BENCH_COUNT lines. */
const expected = Number(process.env.BENCH_COUNT);
const connection = connect({
  address: process.env.SERVERS_ADDRESS ?? '',
  signer: createActorSigner(process.env.SERVICE_SECRET ?? ''),
  actor: serviceActor('reader'),
});
process.once('SIGTERM', () => process.exit(0));
process.once('disconnect', () => process.exit(0));

let lines = 0;
const consoles = connection.client(ConsoleServiceService);
for await (const { events } of consoles.watchServer({ serverId: 'one', historyLines: 0 })) {
  // The first message gives the state; then the game may begin.
  if (lines === 0 && events[0]?.event?.$case === 'powerState') process.send?.({ type: 'ready' });
  for (const { event } of events) if (event?.$case === 'console') lines += 1;
  if (lines === expected) process.send?.({ type: 'read' });
}
