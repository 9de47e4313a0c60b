import { ownOrigin } from '../browser/own-origin.js';
import type { GatewayConfig } from '../config.js';
import { fail } from '../reasons.js';
import type { PanelSettings } from '../settings/panel-settings.js';
import type { RequestMiddleware } from './request-state.js';

interface OwnOriginDependencies {
  readonly config: Pick<GatewayConfig, 'host'>;
  readonly panelSettings: PanelSettings;
}

const jsonType = /^application\/json\s*(;|$)/i;

/**
 * Accepts only fetches of the panel's pages. SameSite is insufficient: customers' subdomains are the same site. The
 * checks overlap, for browsers that lack one. Throws the first failing reason.
 */
export function requireOwnOrigin({ config, panelSettings }: OwnOriginDependencies): RequestMiddleware {
  return async (ctx, next) => {
    const { origin, host = '', 'content-type': type = '', 'sec-fetch-site': site } = ctx.req.headers;
    if (ctx.req.headers['x-panel-console'] !== '1')
      throw fail('CONSOLE_HEADER_MISSING', 'the header X-Panel-Console: 1 is missing');
    if (!jsonType.test(type)) throw fail('CONTENT_TYPE_NOT_JSON', 'the Content-Type must be application/json');
    if (site !== 'same-origin') throw fail('FETCH_SITE_NOT_ALLOWED', 'only pages of the panel itself may do this');
    const { general } = await panelSettings.read();
    const own = ownOrigin({ settingsUrl: general?.url ?? '', listenHost: config.host, hostHeader: host });
    if (own === null)
      throw fail('TLS_REQUIRED', 'browsers sign in with TLS only: put the https address into the setting general.url');
    if (origin !== own) throw fail('ORIGIN_NOT_ALLOWED', 'only pages of the panel itself may do this');
    return next();
  };
}
