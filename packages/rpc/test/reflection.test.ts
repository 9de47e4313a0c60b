import { createRequire } from 'node:module';
import path from 'node:path';
import { createFileRegistry, fromBinary, fromJson, create } from '@bufbuild/protobuf';
import { type FileDescriptorProto, FileDescriptorProtoSchema, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { Client as GrpcClient, credentials, Metadata, type ServiceDefinition } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import * as admin from '@panel/protos/admin';
import * as billing from '@panel/protos/billing';
import * as files from '@panel/protos/files';
import * as identity from '@panel/protos/identity';
import * as servers from '@panel/protos/servers';
import { createLogger } from '@panel/kit/process';
import {
  createActorSigner,
  type GrpcServer,
  type Handlers,
  serve,
  type ServiceDefinition as Service,
  startGrpcServer,
} from '@panel/rpc';
import { expect } from 'chai';

const protoDir = path.join(path.dirname(createRequire(import.meta.url).resolve('@grpc/reflection')), '../proto');
const signer = createActorSigner('a-secret-of-the-services-that-is-long-enough-0123456789');
const log = createLogger({ service: 'test', level: 'silent' });

const domains: Record<string, Record<string, unknown>> = { identity, servers, files, billing, admin };
const servicesOf = (domain: string) =>
  Object.entries(domains[domain] ?? {}).flatMap(([name, value]) =>
    name.endsWith('ServiceService') ? [value as Service] : [],
  );
const nameOf = (service: Service) => Object.values(service)[0]?.path.split('/')[1] ?? '';
const never = async (): Promise<never> => Promise.reject(new Error('not part of this test'));
const served = (service: Service) =>
  serve(service, Object.fromEntries(Object.keys(service).map((name) => [name, never])) as Handlers<Service>);

interface ReflectionAnswer {
  readonly listServicesResponse?: { readonly service: readonly { readonly name: string }[] };
  readonly fileDescriptorResponse?: { readonly fileDescriptorProto: readonly Buffer[] };
  readonly errorResponse?: { readonly errorMessage: string };
}

/** As a tool does that knows nothing but the address. */
class ReflectionClient {
  readonly #grpc: GrpcClient;
  readonly #definition: ServiceDefinition;

  constructor(address: string, version: string) {
    this.#grpc = new GrpcClient(address, credentials.createInsecure());
    const file = `grpc/reflection/${version}/reflection.proto`;
    const loaded = loadSync(file, { includeDirs: [protoDir], bytes: Buffer });
    this.#definition = loaded[`grpc.reflection.${version}.ServerReflection`] as ServiceDefinition;
  }

  async ask(request: Record<string, string>): Promise<ReflectionAnswer> {
    const method = this.#definition['ServerReflectionInfo'];
    if (!method) throw new Error('no such method');
    const { path: name, requestSerialize, responseDeserialize } = method;
    const stream = this.#grpc.makeBidiStreamRequest(name, requestSerialize, responseDeserialize, new Metadata());
    stream.write(request);
    stream.end();
    return new Promise((resolve, reject) => {
      stream.once('data', resolve);
      stream.once('error', reject);
    });
  }

  /** The file of a symbol with all that it imports, each by its own request. */
  async filesOf(symbol: string): Promise<FileDescriptorProto[]> {
    const files = new Map<string, FileDescriptorProto>();
    const [first] = await this.#files({ fileContainingSymbol: symbol });
    const waiting = first ? [first] : [];
    for (let file = waiting.pop(); file; file = waiting.pop()) {
      files.set(file.name, file);
      for (const name of file.dependency.filter((each) => !files.has(each))) {
        const [imported] = await this.#files({ fileByFilename: name });
        if (imported) waiting.push(imported);
      }
    }
    return [...files.values()];
  }

  async #files(request: Record<string, string>): Promise<FileDescriptorProto[]> {
    const { fileDescriptorResponse, errorResponse } = await this.ask(request);
    if (!fileDescriptorResponse) throw new Error(errorResponse?.errorMessage);
    return fileDescriptorResponse.fileDescriptorProto.map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes));
  }

  close(): void {
    this.#grpc.close();
  }
}

for (const version of ['v1', 'v1alpha']) {
  describe(`server reflection ${version}`, () => {
    let server: GrpcServer;
    let client: ReflectionClient;
    const start = async (domain: string) => {
      const options = { listen: '127.0.0.1:0', signer, log, hasReflection: true };
      server = await startGrpcServer(servicesOf(domain).map(served), options);
      client = new ReflectionClient(server.address, version);
    };
    afterEach(async () => {
      client.close();
      await server.stop(0);
    });

    for (const domain of Object.keys(domains)) {
      it(`describes every service of ${domain} with its files and their imports, as its proto files do`, async () => {
        await start(domain);
        const names = (await client.ask({ listServices: '*' })).listServicesResponse?.service.map(({ name }) => name);
        const own = servicesOf(domain).map(nameOf);
        const common = ['grpc.health.v1.Health', 'panel.common.v1.MultiplexService'];
        expect(names).to.have.members([...own, ...common]);
        for (const name of own) {
          const file = await client.filesOf(name);
          const registry = createFileRegistry(create(FileDescriptorSetSchema, { file: ordered(file) }));
          const service = registry.getService(name);
          expect(service?.methods, name).not.to.be.empty;
          expect(service?.file.proto.name).to.match(new RegExp(`^panel/${domain}/v1/\\w+\\.proto$`));
        }
      });
    }

    it('names fields as the proto files do, so that a tool reads both spellings', async () => {
      await start('servers');
      const file = await client.filesOf('panel.servers.v1.NodeService');
      const registry = createFileRegistry(create(FileDescriptorSetSchema, { file: ordered(file) }));
      const message = registry.getMessage('panel.servers.v1.ListNodesRequest');
      const page = message?.fields.find(({ name }) => name === 'page')?.message;
      if (!page) throw new Error('no field page');
      const field = page.fields.find(({ name }) => name === 'per_page');
      expect(field?.jsonName).to.equal('perPage');
      expect(fromJson(page, { per_page: 7 })).to.deep.equal(fromJson(page, { perPage: 7 }));
    });

    it('answers an unknown symbol with an error', async () => {
      await start('admin');
      expect((await client.ask({ fileContainingSymbol: 'panel.None' })).errorResponse?.errorMessage).to.include(
        'panel.None',
      );
    });
  });
}

/** Imports first, as a set has them. */
function ordered(files: readonly FileDescriptorProto[]): FileDescriptorProto[] {
  const byName = new Map(files.map((file) => [file.name, file]));
  const done = new Map<string, FileDescriptorProto>();
  const add = (file: FileDescriptorProto | undefined): void => {
    if (!file || done.has(file.name)) return;
    for (const name of file.dependency) add(byName.get(name));
    done.set(file.name, file);
  };
  for (const file of files) add(file);
  return [...done.values()];
}
