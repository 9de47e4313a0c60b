/**
 * The token in a Sec-WebSocket-Protocol header. Browsers cannot set headers on a WebSocket, so they offer the two
 * sub-protocols `bearer` and the token. The response selects `bearer` alone, so that the token is not echoed.
 */
export function bearerProtocolToken(header: string): string | null {
  const [name, token, ...more] = header.split(',').map((part) => part.trim());
  if (name?.toLowerCase() !== 'bearer' || token === undefined || token === '' || more.length > 0) return null;
  return token;
}
