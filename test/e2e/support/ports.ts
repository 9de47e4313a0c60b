import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/**
 * A free port of 127.0.0.1, for TCP and for UDP. Games in containers take ports of this machine, which other
 * installations under test have games on as well: one that every installation knows is taken sooner or later.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const tcp = createServer();
    tcp.listen(0, '127.0.0.1');
    await once(tcp, 'listening');
    const { port } = tcp.address() as AddressInfo;
    const isFree = await isFreeForUdp(port);
    tcp.close();
    await once(tcp, 'close');
    if (isFree) return port;
  }
}

async function isFreeForUdp(port: number): Promise<boolean> {
  const udp = createSocket('udp4');
  try {
    udp.bind(port, '127.0.0.1');
    await once(udp, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    udp.close();
  }
}
