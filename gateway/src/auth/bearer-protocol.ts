/**
 * Browsers cannot set WebSocket headers: they offer `bearer` and the token as sub-protocols. The response selects
 * `bearer` alone, without the token.
 */
export function bearerProtocolToken(header: string): string | null {
  const [name, token, ...more] = header.split(',').map((part) => part.trim());
  if (name?.toLowerCase() !== 'bearer' || token === undefined || token === '' || more.length > 0) return null;
  return token;
}
