/**
 * Browsers cannot set headers on a WebSocket. They offer two sub-protocols instead, `bearer` and the token, and are
 * answered with `bearer` alone, so that the token is not echoed.
 */
export function bearerProtocolToken(header: string): string | null {
  const [name, token, ...more] = header.split(',').map((part) => part.trim());
  if (name?.toLowerCase() !== 'bearer' || token === undefined || token === '' || more.length > 0) return null;
  return token;
}
