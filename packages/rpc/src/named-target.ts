import { isIP } from 'node:net';
import { experimental, status } from '@grpc/grpc-js';
import type { AddressGuard } from '@panel/kit/net';

type Resolver = experimental.Resolver;
type ResolverArguments = Parameters<typeof experimental.createResolver>;
type Guard = Pick<AddressGuard, 'isAllowed'>;

interface NamedTargetOptions {
  /** What the name may lead to; everything without it. */
  readonly guard?: Guard | undefined;
  /** How often a name is looked up again. */
  readonly lookUpEveryMs: number;
}

const scheme = 'panel';
const guardOption = 'panel.address_guard';
const intervalOption = 'panel.look_up_every_ms';

/**
 * The target and options of a channel to host:port or dns:///host:port. Its name is looked up again and again, so that replicas
 * that were added get calls; by itself grpc-js asks again only when it loses a connection. With a guard it connects only to
 * addresses that the guard allows. A list of addresses (ipv4:, ipv6:) without a guard stays as it is.
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
      // The owner of the host's name does not configure the channel by its TXT records.
      'grpc.service_config_disable_resolution': 1,
    },
  };
}

/** Whether a target is an address and not a name, behind which there may be several. */
export function hasOneAddress(target: string): boolean {
  const host = target.slice(0, target.lastIndexOf(':'));
  return isIP(host.replace(/^ipv[46]:/, '').replace(/^\[|\]$/g, '')) !== 0;
}

/**
 * Checks every answer of the resolver: what is checked is what is connected to, so a name that resolves differently a moment
 * later changes nothing. A name with any refused address is refused.
 */
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
