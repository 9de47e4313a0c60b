/** Opens a socket, used over the transferred port. */
export interface SocketRequest {
  readonly address: string;
  readonly protocols: readonly string[];
}

export type ToSocket =
  | { readonly type: 'send'; readonly text: string }
  | { readonly type: 'close'; readonly code: number }
  /** The last messages were processed: more may follow. */
  | { readonly type: 'taken' };

export type FromSocket =
  | { readonly type: 'open' }
  | { readonly type: 'messages'; readonly json: string }
  | { readonly type: 'close'; readonly code: number };

interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { readonly createScriptURL: (address: string) => string },
  ): { createScriptURL(address: string): string };
}

/** Its address is the only string allowed as a script. */
export function startSocketWorker(address: string): Worker {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  const only = (given: string): string => {
    if (given !== address) throw new TypeError(`${given} is no worker of this page`);
    return given;
  };
  const policy = trustedTypes?.createPolicy('panel', { createScriptURL: only });
  return new Worker(policy?.createScriptURL(address) ?? address);
}

/** Messages wait until the port is started. */
export function openSocketPort(worker: Worker, path: string, protocols: readonly string[]): MessagePort {
  const { port1, port2 } = new MessageChannel();
  const address = new URL(path, location.href.replace(/^http/, 'ws')).href;
  worker.postMessage({ address, protocols } satisfies SocketRequest, [port2]);
  return port1;
}
