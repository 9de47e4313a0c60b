import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { parse, parseAllDocuments } from 'yaml';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const base = path.join(root, 'k8s/base');
const processes = ['gateway', 'identity', 'servers', 'files', 'billing', 'admin'];

interface Variable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: {
    readonly configMapKeyRef?: { readonly name: string; readonly key: string };
    readonly secretKeyRef?: { readonly name: string; readonly key: string };
    readonly fieldRef?: { readonly fieldPath: string };
  };
}

interface Container {
  readonly args: readonly string[];
  readonly env: readonly Variable[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly securityContext: Record<string, unknown>;
  readonly startupProbe: { readonly httpGet: { readonly port: string } };
  readonly livenessProbe: { readonly httpGet: { readonly port: string } };
  readonly readinessProbe: { readonly httpGet: { readonly port: string } };
}

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly data?: Record<string, string>;
  readonly spec: {
    readonly selector: { readonly matchLabels?: Record<string, string>; readonly [label: string]: unknown };
    readonly ports?: readonly { readonly targetPort: string }[];
    readonly scaleTargetRef?: { readonly name: string };
    readonly template: {
      readonly metadata: { readonly labels: Record<string, string> };
      readonly spec: { readonly containers: readonly Container[] };
    };
  };
}

/** Required contents of panel-secrets (k8s/README.md), with valid forms. */
const secrets: Readonly<Record<string, string>> = {
  SERVICE_SECRET: randomBytes(36).toString('base64'),
  JWT_SECRET: randomBytes(36).toString('base64'),
  REDIS_URL: 'redis://:password@redis:6379',
  ...Object.fromEntries(
    ['IDENTITY', 'SERVERS', 'FILES', 'BILLING', 'ADMIN'].map((name) => [
      `${name}_MONGO_URL`,
      `mongodb://mongo:27017/${name.toLowerCase()}`,
    ]),
  ),
};

function manifests(): Manifest[] {
  const { resources } = parse(readFileSync(path.join(base, 'kustomization.yaml'), 'utf8')) as { resources: string[] };
  return resources.flatMap((file) =>
    parseAllDocuments(readFileSync(path.join(base, file), 'utf8')).map((document) => document.toJS() as Manifest),
  );
}

describe('Kubernetes manifests', () => {
  const all = manifests();
  const workload = (name: string): Manifest => {
    const found = all.find((it) => (it.kind === 'Deployment' || it.kind === 'DaemonSet') && it.metadata.name === name);
    if (!found) throw new Error(`no workload ${name}`);
    return found;
  };
  const containerOf = (name: string): Container => {
    const [container] = workload(name).spec.template.spec.containers;
    if (!container) throw new Error(`no container in ${name}`);
    return container;
  };

  const environmentOf = (name: string): Record<string, string> => {
    const config = all.find(({ kind }) => kind === 'ConfigMap')?.data ?? {};
    const env: Record<string, string> = {};
    for (const { name: variable, value, valueFrom } of containerOf(name).env) {
      const configKey = valueFrom?.configMapKeyRef?.key;
      const secretKey = valueFrom?.secretKeyRef?.key;
      const raw =
        value ??
        (configKey === undefined ? undefined : config[configKey]) ??
        (secretKey === undefined ? undefined : secrets[secretKey]) ??
        (valueFrom?.fieldRef ? '10.1.2.3' : undefined);
      if (raw === undefined) throw new Error(`${name}: ${variable} comes from nowhere`);
      env[variable] = raw.replace(/\$\((\w+)\)/g, (_, other: string) => env[other] ?? '');
    }
    return env;
  };

  it('lists every file of the base', () => {
    const { resources } = parse(readFileSync(path.join(base, 'kustomization.yaml'), 'utf8')) as { resources: string[] };
    const files = readdirSync(base).filter((file) => file !== 'kustomization.yaml');
    expect(resources.toSorted()).to.deep.equal(files.toSorted());
  });

  for (const name of processes) {
    const folder = path.join(root, name === 'gateway' ? name : `services/${name}`);

    it(`starts ${name} with a valid configuration`, async () => {
      const { readConfig } = (await import(path.join(folder, 'dist/src/config.js'))) as {
        readConfig: (env: Record<string, string>) => unknown;
      };
      expect(() => readConfig(environmentOf(name))).not.to.throw();
      expect(existsSync(path.join(root, containerOf(name).args[0] ?? ''))).to.equal(true);
    });

    it(`passes ${name} no variable it does not read`, () => {
      const known = [path.join(folder, 'src/config.ts'), path.join(root, 'packages/rpc/src/config.ts')]
        .map((file) => readFileSync(file, 'utf8'))
        .join('');
      const own = new Set([...known.matchAll(/^\s+([A-Z][A-Z0-9_]{2,}):/gm)].map(([, variable]) => variable));
      const unread = Object.keys(environmentOf(name)).filter((variable) => !own.has(variable) && variable !== 'POD_IP');
      expect(unread).to.deep.equal([]);
    });

    it(`grants ${name} no unneeded privilege and defines its probes`, () => {
      const container = containerOf(name);
      expect(container.securityContext).to.include({ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true });
      expect(container.securityContext['capabilities']).to.have.property('drop').that.deep.equals(['ALL']);
      const ports = container.ports.map((port) => port.name);
      for (const probe of [container.startupProbe, container.livenessProbe, container.readinessProbe]) {
        expect(ports).to.include(probe.httpGet.port);
      }
      const { selector, template } = workload(name).spec;
      expect(template.metadata.labels).to.include(selector.matchLabels);
    });

    it(`routes calls for ${name} to it`, () => {
      const service = all.find((it) => it.kind === 'Service' && it.metadata.name === name);
      expect(workload(name).spec.template.metadata.labels).to.include(service?.spec.selector);
      const ports = containerOf(name).ports.map((port) => port.name);
      for (const { targetPort } of service?.spec.ports ?? []) expect(ports).to.include(targetPort);
    });
  }

  it('scales every Deployment by an autoscaler, which an apply does not set back', () => {
    const deployments = all.filter(({ kind }) => kind === 'Deployment');
    const scaled = all.filter(({ kind }) => kind === 'HorizontalPodAutoscaler');
    expect(scaled.map(({ spec }) => spec.scaleTargetRef?.name)).to.have.members(
      deployments.map(({ metadata }) => metadata.name),
    );
    for (const { metadata, spec } of deployments) expect(spec, metadata.name).not.to.have.property('replicas');
  });

  it('documents the secrets of the manifests', () => {
    const readme = readFileSync(path.join(root, 'k8s/README.md'), 'utf8');
    for (const key of Object.keys(secrets)) expect(readme).to.include(key);
  });
});
