import path from 'node:path';
import { assertNever } from '@panel/kit';
import type { NodeConnection } from '../../domain/nodes/node.js';
import { createDockerRuntime } from '@panel/runtime';
import type { NetworkSettings } from '@panel/runtime';
import { createProcessRuntime } from '@panel/runtime';
import { runtimeError } from '@panel/runtime';
import type { Runtime } from '@panel/runtime';

export type RuntimeFactory = (node: NodeConnection) => Runtime;

/** The drivers of architecture §5. `runDir` is where the process runtime keeps its state, one directory a node. */
export function runtimeFactory(runDir: string, network: NetworkSettings): RuntimeFactory {
  return (node) => {
    switch (node.runtime) {
      case 'docker':
        return createDockerRuntime({ url: node.engine.url, network, ...tlsOf(node) });
      case 'process':
        return createProcessRuntime({ runDir: path.join(runDir, node.id) });
      default:
        return assertNever(node.runtime);
    }
  };
}

function tlsOf({ engine }: NodeConnection) {
  if (engine.tlsKey === '') return {};
  if (!engine.tlsKey.includes('-----BEGIN ')) {
    throw runtimeError('NODE_UNREACHABLE', 'the key of this node does not open: have the ENCRYPTION_KEYS changed?');
  }
  return { tls: { ca: engine.tlsCa, cert: engine.tlsCert, key: engine.tlsKey } };
}

/** One driver for each node, made when first needed and made anew when the way to its engine has changed. */
export class Runtimes {
  readonly #made = new Map<string, { readonly key: string; readonly runtime: Runtime }>();

  constructor(private readonly create: RuntimeFactory) {}

  of(node: NodeConnection): Runtime {
    const key = JSON.stringify([node.runtime, node.engine]);
    const known = this.#made.get(node.id);
    if (known?.key === key) return known.runtime;
    const runtime = this.create(node);
    this.#made.set(node.id, { key, runtime });
    if (known) void known.runtime.close();
    return runtime;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#made.values()].map(({ runtime }) => runtime.close()));
    this.#made.clear();
  }
}
