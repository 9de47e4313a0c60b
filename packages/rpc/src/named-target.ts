import { isIP } from 'node:net';
import { experimental, status } from '@grpc/grpc-js';
import type { AddressGuard } from '@panel/kit/net';

type Resolver = experimental.Resolver;
type ResolverArguments = Parameters<typeof experimental.createResolver>;
type Guard = Pick<AddressGuard, 'isAllowed'>;

interface NamedTargetOptions {
  /** Default: all addresses. */
  readonly guard?: Guard | undefined;
  readonly lookUpEveryMs: number;
}

const scheme = 'panel';
const guardOption = 'panel.address_guard';
const intervalOption = 'panel.look_up_every_ms';

/**
 * Repeats lookups for new replicas, which grpc-js does only after a lost connection. A guard restricts addresses.
 * Address lists (ipv4:, ipv6:) without a guard are unchanged.
 */
export function namedTarget(address: string, { guard, lookUpEveryMs }: NamedTargetOptions) {
  if (!guard && /^ipv[46]:/.test(address)) return { target: address, options: {} };
  experimental.registerResolver(scheme, NamedResolver);
  return {
    target: `${scheme}:///${address.replace(/^dns:\/\/\//, '')}`,
    options: {
      ...(guard && {
        [guardOption]: guard,
        // A proxy would resolve the name again.
        'grpc.enable_http_proxy': 0,
      }),
      [intervalOption]: lookUpEveryMs,
      'grpc.dns_min_time_between_resolutions_ms': lookUpEveryMs,
      // The host name's owner must not configure the channel by TXT records.
      'grpc.service_config_disable_resolution': 1,
    },
  };
}

export function hasOneAddress(target: string): boolean {
  const host = target.slice(0, target.lastIndexOf(':'));
  return isIP(host.replace(/^ipv[46]:/, '').replace(/^\[|\]$/g, '')) !== 0;
}

/** The channel connects to exactly the checked addresses. One refused address refuses the name. */
class NamedResolver implements Resolver {
  readonly #dns: Resolver;
  readonly #timer: NodeJS.Timeout | undefined;

  constructor(...[target, listener, options]: ResolverArguments) {
    const guard = options[guardOption] as Guard | undefined;
    const check: typeof listener = (endpoints, ...rest) => {
      const isAllowed =
        !guard ||
        !endpoints.ok ||
        endpoints.value.every(({ addresses }) => addresses.every((one) => 'host' in one && guard.isAllowed(one.host)));
      return isAllowed ? listener(endpoints, ...rest) : listener(refused(), ...rest);
    };
    this.#dns = experimental.createResolver({ ...target, scheme: 'dns' }, check, options);
    if (hasOneAddress(target.path)) return;
    this.#timer = setInterval(() => this.#dns.updateResolution(), options[intervalOption] as number).unref();
  }

  static getDefaultAuthority({ path }: ResolverArguments[0]): string {
    return path;
  }

  updateResolution(): void {
    this.#dns.updateResolution();
  }

  destroy(): void {
    clearInterval(this.#timer);
    this.#dns.destroy();
  }
}

function refused() {
  return experimental.statusOrFromError<never>({
    code: status.UNAVAILABLE,
    details: 'the address of this host is not allowed',
  });
}
