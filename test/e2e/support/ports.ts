import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** For TCP and UDP. Random, because installations under test share this machine. */
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
