// Talks gRPC to a running panel the way an operator's tool does: finds the services by stack.json, learns their methods
// by server reflection, and proves who it is with an actor token signed by the installation's SERVICE_SECRET.
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

const usage = `node scripts/grpc.mjs list [SERVICE]                    services and methods, by reflection
node scripts/grpc.mjs call SERVICE METHOD [JSON]       e.g. call servers panel.servers.v1.NodeService/ListNodes '{}'
node scripts/grpc.mjs token                            print an actor token (valid for 60 s)
node scripts/grpc.mjs first-admin EMAIL [USERNAME]     make the first administrator, unless there is one

SERVICE is identity, servers, files, billing or admin, or host:port.
--anonymous      call without an actor token
--token TOKEN    call with this one
DATA_DIR (.data) says which installation. The variables of a process of the panel override it: SERVICE_SECRET,
IDENTITY_ADDRESS and the like, and GRPC_TLS_CERT, GRPC_TLS_KEY and GRPC_TLS_CA for services behind mutual TLS.
ADMIN_PASSWORD is the password of first-admin, else one is made and printed.`;

// A reader such as `head` may have enough.
process.stdout.on('error', (error) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});
const { values, positionals } = readArguments();
const [command, target, method, json] = positionals;
const dataDir = resolve(process.env.DATA_DIR ?? '.data');
const require = createRequire(import.meta.resolve('../packages/rpc/package.json'));
const grpc = require('@grpc/grpc-js');
const loader = require('@grpc/proto-loader');
const loaderOptions = { keepCase: true, longs: Number, enums: String, bytes: String, defaults: true, oneofs: true };

function readArguments() {
  const options = { anonymous: { type: 'boolean' }, token: { type: 'string' }, help: { type: 'boolean' } };
  try {
    return parseArgs({ allowPositionals: true, options });
  } catch (error) {
    return stop(`${error.message}\n\n${usage}`);
  }
}

function stop(message) {
  console.error(`grpc: ${message}`);
  process.exit(1);
}

function readJson(name) {
  const file = join(dataDir, name);
  if (!existsSync(file)) stop(`${file} is missing: run npm start first, or set DATA_DIR`);
  return JSON.parse(readFileSync(file, 'utf8'));
}

/** The JSON of a request, or the reason why it is none. */
function readRequest() {
  try {
    return JSON.parse(json ?? '{}');
  } catch (error) {
    return stop(`the request is not JSON: ${error.message}`);
  }
}

async function actorToken() {
  const { createActorSigner, serviceActor } = await import('../packages/rpc/dist/src/index.js');
  const secret = process.env.SERVICE_SECRET ?? readJson('secrets.json').service_secret;
  return createActorSigner(secret).sign(serviceActor('operator'));
}

function addressOf(name) {
  if (name.includes(':')) return name;
  const given = process.env[`${name.toUpperCase()}_ADDRESS`];
  if (given) return given;
  const addresses = readJson('stack.json').grpc;
  return addresses[name] ?? stop(`there is no service ${name}: ${Object.keys(addresses).join(', ')}, or host:port`);
}

/** As of the processes: plain text without the three files. */
function credentials() {
  const files = ['CA', 'KEY', 'CERT'].map((name) => process.env[`GRPC_TLS_${name}`]);
  if (files.every((file) => !file)) return grpc.credentials.createInsecure();
  if (!files.every(Boolean)) stop('GRPC_TLS_CERT, GRPC_TLS_KEY and GRPC_TLS_CA go together: set all three, or none');
  return grpc.credentials.createSsl(...files.map((file) => readFileSync(file)));
}

function connect(name) {
  return new grpc.Client(addressOf(name), credentials());
}

/** Ask a server's reflection service one thing. */
async function reflect(client, request) {
  const root = require.resolve('@grpc/reflection').replace(/build\/.*$/, 'build/proto');
  const options = { ...loaderOptions, bytes: Buffer, includeDirs: [root] };
  const loaded = loader.loadSync('grpc/reflection/v1/reflection.proto', options);
  const { path, requestSerialize, responseDeserialize } =
    loaded['grpc.reflection.v1.ServerReflection'].ServerReflectionInfo;
  const stream = client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize, new grpc.Metadata(), {
    deadline: Date.now() + 10_000,
  });
  const answer = await new Promise((resolve) => {
    stream.on('data', resolve);
    stream.on('error', failed);
    stream.write(request);
  });
  stream.end();
  return answer;
}

async function serviceNames(client) {
  const answer = await reflect(client, { list_services: '*' });
  return answer.list_services_response.service.map(({ name }) => name).sort();
}

/** The methods of a service, from the descriptors the server itself shows. */
async function describe(client, service) {
  const answer = await reflect(client, { file_containing_symbol: service });
  if (answer.error_response) stop(`${service}: ${answer.error_response.error_message}`);
  // A FileDescriptorSet is its files one after the other, each as field 1.
  const files = answer.file_descriptor_response.file_descriptor_proto;
  const set = Buffer.concat(files.flatMap((bytes) => [Buffer.from([0x0a]), varint(bytes.length), bytes]));
  return loader.loadFileDescriptorSetFromBuffer(set, loaderOptions)[service];
}

function varint(value) {
  const bytes = [];
  for (let rest = value; ; rest >>>= 7) {
    if (rest < 0x80) return Buffer.from([...bytes, rest]);
    bytes.push((rest & 0x7f) | 0x80);
  }
}

async function list() {
  const names = target ? [target] : ['identity', 'servers', 'files', 'billing', 'admin'];
  for (const name of names) {
    const client = connect(name);
    for (const service of await serviceNames(client)) {
      console.log(service);
      if (!service.startsWith('panel.')) continue;
      for (const { path } of Object.values(await describe(client, service))) console.log(`  ${path.slice(1)}`);
    }
    client.close();
  }
}

async function call() {
  const request = readRequest();
  const client = connect(target);
  const [service, name] = method.split('/');
  const methods = await describe(client, service);
  const definition = methods?.[name];
  if (!definition) stop(`${service} has no method ${name ?? ''}: ${Object.keys(methods ?? {}).join(', ')}`);
  const metadata = new grpc.Metadata();
  if (!values.anonymous) metadata.set('panel-actor', values.token ?? (await actorToken()));
  const { path, requestSerialize, responseDeserialize } = definition;
  if (definition.responseStream) {
    const stream = client.makeServerStreamRequest(path, requestSerialize, responseDeserialize, request, metadata);
    for await (const message of stream) console.log(JSON.stringify(message));
  } else {
    console.log(JSON.stringify(await callOnce(client, definition, request, metadata), null, 2));
  }
  client.close();
}

async function callOnce(client, { path, requestSerialize, responseDeserialize }, request, metadata) {
  const deadline = Date.now() + 10_000;
  return new Promise((resolve) => {
    client.makeUnaryRequest(
      path,
      requestSerialize,
      responseDeserialize,
      request,
      metadata,
      { deadline },
      (error, value) => (error ? failed(error) : resolve(value)),
    );
  });
}

async function makeFirstAdmin(email, username = 'admin') {
  const given = process.env.ADMIN_PASSWORD;
  const password = given || randomBytes(15).toString('base64url');
  const client = connect('identity');
  const { EnsureFirstAdmin } = await describe(client, 'panel.identity.v1.UserService');
  const metadata = new grpc.Metadata();
  metadata.set('panel-actor', await actorToken());
  const { created, user } = await callOnce(client, EnsureFirstAdmin, { email, username, password }, metadata);
  client.close();
  if (!created) stop(`there is an administrator already (${user.email}): nothing was changed`);
  console.log(`${email} is the administrator${given ? '' : `, with the password ${password}`}`);
}

/** What a service answered instead: its status, reason and message, and the fields that are wrong. */
function failed(error) {
  const detail = error.metadata?.get('panel-error-bin')[0];
  const { reason = '', metadata = {} } = detail ? JSON.parse(detail.toString('utf8')) : {};
  const fields = Object.entries(metadata.fields ?? {}).map(
    ([field, messages]) => `\n  ${field} ${messages.join(', ')}`,
  );
  stop(`${[grpc.status[error.code], reason].filter(Boolean).join(' ')}: ${error.details}${fields.join('')}`);
}

async function main() {
  const isWhole = { list: true, token: true, call: Boolean(method), 'first-admin': Boolean(target) }[command ?? ''];
  if (values.help || !isWhole) {
    console.log(usage);
    process.exit(values.help ? 0 : 1);
  }
  if (command === 'token') console.log(await actorToken());
  if (command === 'list') await list();
  if (command === 'call') await call();
  if (command === 'first-admin') await makeFirstAdmin(target, method);
}

// An operator is helped by what is wrong, not by where in this script it was noticed.
main().catch((error) => (error.code in grpc.status ? failed(error) : stop(error.message)));
