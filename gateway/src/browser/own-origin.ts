/** What decides the origin of the panel's own pages. */
interface OriginFacts {
  /** `general.url` of the settings. */
  readonly settingsUrl: string;
  /** The address this gateway listens on. */
  readonly listenHost: string;
  /** The Host header of the request. */
  readonly hostHeader: string;
}

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * The only origin whose pages may sign in with a cookie; null when there is none. An https address in the settings is the
 * one. Without it, a gateway that listens on loopback serves pages on loopback, without TLS.
 */
export function ownOrigin({ settingsUrl, listenHost, hostHeader }: OriginFacts): string | null {
  const configured = URL.canParse(settingsUrl) ? new URL(settingsUrl) : null;
  if (configured?.protocol === 'https:') return configured.origin;
  if (!isLoopback(listenHost)) return null;
  const asked = `http://${hostHeader}`;
  if (!URL.canParse(asked)) return null;
  // A name that only resolves to loopback, as in DNS rebinding, is a foreign origin.
  const { hostname, origin } = new URL(asked);
  return loopback.test(hostname) ? origin : null;
}

function isLoopback(listenHost: string): boolean {
  return loopback.test(listenHost) || listenHost === '::1';
}
