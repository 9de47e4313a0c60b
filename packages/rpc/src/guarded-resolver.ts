import { experimental, status } from '@grpc/grpc-js';
import type { AddressGuard } from '@panel/kit';

type Resolver = experimental.Resolver;
type ResolverArguments = Parameters<typeof experimental.createResolver>;

const scheme = 'guarded';
const guardOption = 'panel.address_guard';

/** The target and options of a channel that resolves a name like DNS does, but connects only to addresses a guard allows. */
export function guardedChannel(address: string, guard: Pick<AddressGuard, 'isAllowed'>) {
  experimental.registerResolver(scheme, GuardedResolver);
  return {
    target: `${scheme}:///${address.replace(/^dns:\/\/\//, '')}`,
    options: {
      [guardOption]: guard,
      // Whoever named the host must not configure the channel by its TXT records, and a proxy would resolve it again.
      'grpc.service_config_disable_resolution': 1,
      'grpc.enable_http_proxy': 0,
    },
  };
}

/**
 * Checks every answer of the resolver: what is checked is what is connected to, so a name that resolves differently a moment
 * later changes nothing. A name with any refused address is refused.
 */
class GuardedResolver implements Resolver {
  readonly #dns: Resolver;

  constructor(...[target, listener, options]: ResolverArguments) {
    const guard = options[guardOption] as Pick<AddressGuard, 'isAllowed'>;
    const check: typeof listener = (endpoints, ...rest) => {
      const isAllowed =
        !endpoints.ok ||
        endpoints.value.every(({ addresses }) => addresses.every((one) => 'host' in one && guard.isAllowed(one.host)));
      return isAllowed ? listener(endpoints, ...rest) : listener(refused(), ...rest);
    };
    this.#dns = experimental.createResolver({ ...target, scheme: 'dns' }, check, options);
  }

  static getDefaultAuthority({ path }: ResolverArguments[0]): string {
    return path;
  }

  updateResolution(): void {
    this.#dns.updateResolution();
  }

  destroy(): void {
    this.#dns.destroy();
  }
}

function refused() {
  return experimental.statusOrFromError<never>({
    code: status.UNAVAILABLE,
    details: 'the address of this host is not allowed',
  });
}
