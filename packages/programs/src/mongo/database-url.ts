/** Paths for authentication only, hence no prefix. */
const authenticationOnly = new Set(['', 'admin']);
const urlForm = /^(mongodb(?:\+srv)?:\/\/)([^/?]+)(?:\/([^?]*))?(?:\?(.*))?$/;

/**
 * `databaseUrl('mongodb://h/?w=1', 'identity')` is `mongodb://h/identity?w=1`. A path in `base` is a prefix
 * (`mongodb://h/eu` gives `eu_identity`). The authentication database stays the same. Throws for other URLs.
 */
export function databaseUrl(base: string, name: string): string {
  const match = urlForm.exec(base);
  if (!match) throw new Error('not a MongoDB URL; expected mongodb://host:port/');
  const [, scheme = '', hosts = '', path = '', query = ''] = match;
  const prefix = authenticationOnly.has(path) ? '' : `${path}_`;
  const parameters = query === '' ? [] : [query];
  // The driver's default is the path, which changes.
  const needsSource = hosts.includes('@') && !/(^|&)authSource=/i.test(query) && !/(^|&)authMechanism=/i.test(query);
  if (needsSource) parameters.push(`authSource=${path === '' ? 'admin' : path}`);
  return `${scheme}${hosts}/${prefix}${name}${parameters.length > 0 ? `?${parameters.join('&')}` : ''}`;
}

/** For logs. */
export function withoutPassword(url: string): string {
  return url.replace(/^([a-z+]+:\/\/[^:@/]*):[^@]*@/, '$1:***@');
}
