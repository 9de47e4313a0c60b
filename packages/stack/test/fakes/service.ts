import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { AppError } from '@panel/kit/errors';
import { createLogger, runProcess } from '@panel/kit/process';
import { type CallContext, createActorSigner, requireService, startGrpcServer } from '@panel/rpc';
import {
  type CreateProductRequest,
  CreditServiceService,
  type GrantCreditsRequest,
  Product,
  ProductServiceService,
} from '@panel/protos/billing';
import { User, UserServiceService } from '@panel/protos/identity';
import {
  AllocationServiceService,
  type CreateAllocationsRequest,
  type CreateNestRequest,
  type CreateNodeRequest,
  Egg,
  EggServiceService,
  type ImportEggRequest,
  Nest,
  NestServiceService,
  Node,
  NodeServiceService,
  type UpdateNodeRequest,
} from '@panel/protos/servers';
import path from 'node:path';

/* The seed's calls over a persistent file FAKE_STATE. FAKE_FAIL_EGG names an egg whose import fails. */
interface State {
  admin?: { email: string; password: string };
  nodes: Record<string, unknown>[];
  ports: string[];
  nests: { id: string; name: string }[];
  eggs: { nestId: string; name: string }[];
  products?: string[];
  /** Minor units by idempotency id. */
  credits?: Record<string, number>;
}

const file = path.join(process.env['FAKE_STATE'] ?? '.', 'state.json');
const listen = process.env['LISTEN'] ?? `${process.env['HOST']}:${process.env['PORT']}`;

function change<T>(update: (state: State) => T): Promise<T> {
  const empty: State = { nodes: [], ports: [], nests: [], eggs: [] };
  const state = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as State) : empty;
  const result = update(state);
  writeFileSync(file, JSON.stringify(state));
  return Promise.resolve(result);
}

const { ensureFirstAdmin, findUserByEmail } = UserServiceService;
const users = {
  definition: { ensureFirstAdmin, findUserByEmail },
  handlers: {
    ensureFirstAdmin: (request: { email: string; password: string }, context: CallContext) => {
      requireService(context.actor);
      return change((state) => {
        const created = state.admin === undefined;
        state.admin ??= { email: request.email, password: request.password };
        return { created, user: User.fromPartial({ id: 'u1', email: state.admin.email }) };
      });
    },
    findUserByEmail: ({ email }: { email: string }) =>
      change(({ admin }) => ({ user: admin?.email === email ? User.fromPartial({ id: 'u1', email }) : undefined })),
  },
};

const { listNodes, createNode, getNode, updateNode } = NodeServiceService;
const nodes = {
  definition: { listNodes, createNode, getNode, updateNode },
  handlers: {
    listNodes: () => change((state) => ({ nodes: state.nodes.map((node) => Node.fromPartial(node)) })),
    createNode: (request: CreateNodeRequest) =>
      change((state) => {
        state.nodes.push({ id: `n${state.nodes.length + 1}`, ...request });
        return { node: Node.fromPartial(state.nodes.at(-1) ?? {}) };
      }),
    getNode: ({ nodeId }: { nodeId: string }) =>
      change((state) => ({ node: Node.fromPartial(state.nodes.find(({ id }) => id === nodeId) ?? {}) })),
    updateNode: ({ nodeId, filesAddress, engine }: UpdateNodeRequest) =>
      change((state) => {
        const node = state.nodes.find(({ id }) => id === nodeId);
        Object.assign(node ?? {}, { filesAddress, engine });
        return { node: Node.fromPartial(node ?? {}) };
      }),
  },
};

const { createAllocations } = AllocationServiceService;
const allocations = {
  definition: { createAllocations },
  handlers: {
    createAllocations: ({ ports }: CreateAllocationsRequest) =>
      change((state) => {
        if (state.ports.length > 0) throw new AppError('already_exists', 'ALLOCATION_EXISTS', 'taken');
        state.ports.push(...ports);
        return { allocations: [] };
      }),
  },
};

const { listNests, createNest } = NestServiceService;
const nests = {
  definition: { listNests, createNest },
  handlers: {
    listNests: () => change((state) => ({ nests: state.nests.map((nest) => Nest.fromPartial(nest)) })),
    createNest: ({ name }: CreateNestRequest) =>
      change((state) => {
        state.nests.push({ id: `nest${state.nests.length + 1}`, name });
        return { nest: Nest.fromPartial(state.nests.at(-1) ?? {}) };
      }),
  },
};

const { listEggs, importEgg } = EggServiceService;
const eggs = {
  definition: { listEggs, importEgg },
  handlers: {
    listEggs: ({ nestId }: { nestId: string }) =>
      change((state) => ({
        eggs: state.eggs
          .filter((egg) => egg.nestId === nestId)
          .map(({ name }) => Egg.fromPartial({ id: name, spec: { name } })),
      })),
    importEgg: ({ nestId, content }: ImportEggRequest) =>
      change((state) => {
        const { name } = JSON.parse(Buffer.from(content).toString()) as { name: string };
        if (name === process.env['FAKE_FAIL_EGG']) throw new AppError('unavailable', 'FAKE_FAILURE', 'not now');
        state.eggs.push({ nestId, name });
        return { egg: Egg.fromPartial({ id: name }), warnings: [] };
      }),
  },
};

const { createProduct } = ProductServiceService;
const products = {
  definition: { createProduct },
  handlers: {
    createProduct: ({ product }: CreateProductRequest) =>
      change((state) => {
        const { slug = '' } = product ?? {};
        if (state.products?.includes(slug)) throw new AppError('already_exists', 'PRODUCT_SLUG_TAKEN', 'taken');
        (state.products ??= []).push(slug);
        return { product: Product.fromPartial({ slug }) };
      }),
  },
};

const { grantCredits } = CreditServiceService;
const credits = {
  definition: { grantCredits },
  handlers: {
    grantCredits: ({ amount }: GrantCreditsRequest, { idempotencyId = '' }: CallContext) =>
      change((state) => {
        (state.credits ??= {})[idempotencyId] = amount?.amountMinor ?? 0;
        return { balance: amount };
      }),
  },
};

await runProcess('fake', async () => {
  const log = createLogger({ service: 'fake', level: 'silent' });
  const signer = createActorSigner(process.env['SERVICE_SECRET'] ?? '');
  const server = await startGrpcServer([users, nodes, allocations, nests, eggs, products, credits], {
    listen,
    signer,
    log,
  });
  return { addresses: { listen: server.address, metrics: '' }, log, stop: () => server.stop(1_000) };
});
