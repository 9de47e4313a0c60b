/** Databases a path in a MongoDB URL names for authentication only, so that it is no prefix. */
const authenticationOnly = new Set(['', 'admin']);
const urlForm = /^(mongodb(?:\+srv)?:\/\/)([^/?]+)(?:\/([^?]*))?(?:\?(.*))?$/;

/**
 * The URL of one database on the MongoDB that `base` names: `databaseUrl('mongodb://h/?w=1', 'identity')` is
 * `mongodb://h/identity?w=1`. A path in `base` is a prefix (`mongodb://h/eu` gives `eu_identity`), so that installations
 * can share a MongoDB. Credentials continue being checked where `base` had them checked. Throws on what is no MongoDB URL.
 */
export function databaseUrl(base: string, name: string): string {
  const match = urlForm.exec(base);
  if (!match) throw new Error('not a MongoDB URL; expected mongodb://host:port/');
  const [, scheme = '', hosts = '', path = '', query = ''] = match;
  const prefix = authenticationOnly.has(path) ? '' : `${path}_`;
  const parameters = query === '' ? [] : [query];
  // The driver checks credentials against the path unless told otherwise, and the path is about to change.
  const needsSource = hosts.includes('@') && !/(^|&)authSource=/i.test(query) && !/(^|&)authMechanism=/i.test(query);
  if (needsSource) parameters.push(`authSource=${path === '' ? 'admin' : path}`);
  return `${scheme}${hosts}/${prefix}${name}${parameters.length > 0 ? `?${parameters.join('&')}` : ''}`;
}

/** The URL without its password, for logs. */
export function withoutPassword(url: string): string {
  return url.replace(/^([a-z+]+:\/\/[^:@/]*):[^@]*@/, '$1:***@');
}
