import path from 'node:path';
import { assertNever } from '@panel/kit/errors';
import type { AddressGuard } from '@panel/kit/net';
import {
  createDockerRuntime,
  createProcessRuntime,
  type NetworkSettings,
  type Runtime,
  runtimeError,
} from '@panel/runtime';
import { isKeySealed, type NodeConnection } from '../domain/nodes/node.js';

type RuntimeNode = Pick<NodeConnection, 'id' | 'runtime' | 'engine' | 'emulatedPlatforms'>;
export type RuntimeFactory = (node: RuntimeNode) => Runtime;

interface RuntimeSettings {
  readonly installationId: string;
  /** One directory per node. */
  readonly runDir: string;
  readonly network: NetworkSettings;
  readonly allowsProcessNodes: boolean;
  readonly guard: AddressGuard;
}

export function runtimeFactory(settings: RuntimeSettings): RuntimeFactory {
  const { installationId, runDir, network, allowsProcessNodes, guard } = settings;
  return (node) => {
    switch (node.runtime) {
      case 'docker':
        return createDockerRuntime({
          ...connectionOf(node),
          panelId: installationId,
          network,
          guard,
          emulatedPlatforms: node.emulatedPlatforms ?? [],
        });
      case 'process':
        if (!allowsProcessNodes)
          throw runtimeError('NODE_UNREACHABLE', 'process nodes are off in the configuration (PROCESS_NODES)', {
            problem: 'process_nodes_off',
          });
        return createProcessRuntime({ runDir: path.join(runDir, node.id) });
      default:
        return assertNever(node.runtime);
    }
  };
}

function connectionOf({ engine }: RuntimeNode) {
  const { url } = engine;
  if (engine.tlsKey === '') return { url };
  if (isKeySealed(engine)) {
    const message = 'the key of this node does not open: have the ENCRYPTION_KEYS changed?';
    throw runtimeError('NODE_UNREACHABLE', message, { problem: 'client_key_sealed' });
  }
  return { url, tls: { ca: engine.tlsCa, cert: engine.tlsCert, key: engine.tlsKey } };
}

interface Made {
  key: string;
  current: Runtime;
  readonly handle: Runtime;
}

export class Runtimes {
  readonly #made = new Map<string, Made>();

  constructor(private readonly create: RuntimeFactory) {}

  /** The same for good: it goes on with the node's current connection, also in the hands of long readers. */
  of(node: NodeConnection): Runtime {
    const key = JSON.stringify([node.runtime, node.engine, node.emulatedPlatforms]);
    const known = this.#made.get(node.id);
    if (known?.key === key) return known.handle;
    const current = this.create(node);
    if (known) {
      const before = known.current;
      Object.assign(known, { key, current });
      void before.close();
      return known.handle;
    }
    const made: Made = { key, current, handle: handleOf(() => made.current) };
    this.#made.set(node.id, made);
    return made.handle;
  }

  /** Not kept: for a connection that is no node's yet. */
  async probe<T>(node: RuntimeNode, work: (runtime: Runtime) => Promise<T>): Promise<T> {
    const runtime = this.create(node);
    try {
      return await work(runtime);
    } finally {
      await runtime.close();
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#made.values()].map(({ current }) => current.close()));
    this.#made.clear();
  }
}

/** Drivers are plain objects of functions without `this`. */
function handleOf(current: () => Runtime): Runtime {
  return new Proxy({} as Runtime, { get: (_target, name) => current()[name as keyof Runtime] });
}
