interface OriginFacts {
  /** `general.url`. */
  readonly settingsUrl: string;
  /** Listen address. */
  readonly listenHost: string;
  /** Host header. */
  readonly hostHeader: string;
}

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * The only origin with cookie sign-in; null: none. The https URL of the settings; else, on a loopback listener,
 * loopback without TLS.
 */
export function ownOrigin({ settingsUrl, listenHost, hostHeader }: OriginFacts): string | null {
  const configured = URL.canParse(settingsUrl) ? new URL(settingsUrl) : null;
  if (configured?.protocol === 'https:') return configured.origin;
  if (!isLoopback(listenHost)) return null;
  const asked = `http://${hostHeader}`;
  if (!URL.canParse(asked)) return null;
  // Names that resolve to loopback are foreign (DNS rebinding).
  const { hostname, origin } = new URL(asked);
  return loopback.test(hostname) ? origin : null;
}

function isLoopback(listenHost: string): boolean {
  return loopback.test(listenHost) || listenHost === '::1';
}
