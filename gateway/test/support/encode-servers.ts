import { type EncodedServer, type ListServersRequest, type ListServersResponse, Server } from '@panel/protos/servers';

export function encodeServer(server: Server): EncodedServer {
  const bytes = Buffer.from(Server.encode(server).finish());
  return { server: bytes, variablesFrom: 0, digest: bytes.toString('base64') };
}

/** Leaves out the page that the caller names. */
export function listOwn(own: readonly Server[], { page: asked, knownDigest }: ListServersRequest): ListServersResponse {
  const { page = 1, perPage = 25 } = asked ?? {};
  const listed = own.slice((page - 1) * perPage, page * perPage).map(encodeServer);
  const digest = listed.map((one) => one.digest).join(' ');
  const info = { page, perPage, total: own.length };
  return { servers: [], page: info, variables: [], listed: digest === knownDigest ? [] : listed, digest };
}
