/** One alert of a rule, as Prometheus would send it. */
export interface RaisedAlert {
  readonly alert: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly summary: string;
}

/** What happens at 30 minutes of two hours that were quiet until then. Times are as promtool reads them. */
interface AlertScenario {
  readonly when: string;
  /** Replaces series of the quiet panel, or adds some. */
  readonly series: Series;
  /** Before `for` is over. */
  readonly silentAt: readonly string[];
  /** Only these, and nothing beside. */
  readonly raisesAt: readonly string[];
  readonly raises: readonly RaisedAlert[];
}

type Series = Readonly<Record<string, string>>;

/** Samples of 15 s: 120 before the event, 361 from it. */
const always = (value: number) => `${value}x480`;
const from30 = (before: number, after: number) => `${before}x119 ${after}x360`;
/** Not shown any more: Prometheus marks the end of a series. */
const until30 = (value: number) => `${value}x119 stale _x359`;
/** A counter that stands at 0 and grows by `step` a sample, then stands again. */
const grows = (step: number, samples = 361) =>
  `0x119 ${step}+${step}x${samples - 1}${samples < 361 ? ` ${step * samples}x${360 - samples}` : ''}`;
/** From 30 minutes, `value` at each sample that `isBad` picks. */
const sometimes = (isBad: (sample: number) => boolean) =>
  `1x119 ${Array.from({ length: 361 }, (_, sample) => Number(!isBad(sample))).join(' ')}`;
const all = (names: readonly string[], values: string): Series =>
  Object.fromEntries(names.map((name) => [name, values]));

const day = 86_400;
const gateways = ['a', 'b'].map((pod) => `service="gateway",pod="gateway-${pod}"`);
const replicas = ['a', 'b'].map((pod) => `service="servers",pod="servers-${pod}"`);
const files = ['1', '2'].map((pod) => `service="files",pod="files-${pod}"`);
const services = [
  ...['identity', 'billing', 'admin'].map((service) => `service="${service}",pod="${service}-a"`),
  ...replicas,
  ...files,
];
const nodes = ['1', '2'].map((node) => `node_id="id-${node}",node="node-${node}"`);

const mongoUp = (who: readonly string[]) => who.map((one) => `dependency_up{dependency="mongo",${one}}`);
const identityUp = gateways.map((one) => `dependency_up{dependency="identity",${one}}`);
const redisUp = gateways.map((one) => `gateway_redis_available{${one}}`);
const buildOf = (who: readonly string[]) => who.map((one) => `panel_build_info{version="1.0.0",${one}}`);
const jobsOf = (who: readonly string[]) =>
  who.flatMap((one) =>
    ['sweep', 'measure', 'deliver'].map((job) => `job_runs_total{job="${job}",outcome="failure",${one}}`),
  );
const itemsOf = (who: readonly string[]) => who.map((one) => `job_item_failures_total{job="sweep",${one}}`);
const parked = services.map((one) => `outbox_parked_entries{outbox="activity",${one}}`);
/** Every replica of servers shows every node. */
const ofNodes = (metric: string, extra: string, which: readonly string[] = nodes) =>
  which.flatMap((node) => replicas.map((replica) => `${metric}{${extra}${node},${replica}}`));
const statusOf = (status: string, which?: readonly string[]) =>
  ofNodes('servers_node_status', `status="${status}",`, which);
const engineUp = (which?: readonly string[]) => ofNodes('servers_node_engine_up', '', which);
const filesUp = (which?: readonly string[]) => ofNodes('servers_node_files_up', '', which);
const clockOf = (part: string, which?: readonly string[]) =>
  ofNodes('servers_node_clock_offset_seconds', `part="${part}",`, which);
const nodeCertificate = (which?: readonly string[]) =>
  ofNodes('servers_node_certificate_end_timestamp_seconds', 'certificate="tls_cert",', which);
const certificates = services.map((one) => `certificate_end_timestamp_seconds{certificate="GRPC_TLS_CERT",${one}}`);
const ended = (kind: string) =>
  replicas.map((one) => `servers_operations_ended_total{kind="${kind}",outcome="failed",${one}}`);
const backups = files.map((one) => `backups_ended_total{outcome="failed",${one}}`);
const node1 = nodes.slice(0, 1);
const node1Labels = { node_id: 'id-1', node: 'node-1' };
const allNodeMetrics = [
  ...['online', 'offline', 'unknown'].flatMap((status) => statusOf(status)),
  ...engineUp(),
  ...filesUp(),
  ...clockOf('files'),
  ...clockOf('engine'),
];

export const quietPanel: Series = {
  ...all([...mongoUp(services), ...identityUp, ...redisUp, ...buildOf([...gateways, ...services])], always(1)),
  ...all([...jobsOf([...gateways, ...services]), ...itemsOf([...gateways, ...services]), ...parked], always(0)),
  ...all([...statusOf('online'), ...engineUp(), ...filesUp()], always(1)),
  ...all([...statusOf('offline'), ...statusOf('unknown')], always(0)),
  ...all([...clockOf('files'), ...clockOf('engine')], always(0.2)),
  ...all([...nodeCertificate(), ...certificates], always(60 * day)),
  ...all([...ended('installing'), ...ended('reinstalling'), ...ended('transferring'), ...backups], always(0)),
};

const databaseDown = (processes: number): RaisedAlert => ({
  alert: 'PanelDatabaseDown',
  labels: { severity: 'critical' },
  summary: `MongoDB does not answer to ${processes} processes of the panel`,
});
const engineDown: RaisedAlert = {
  alert: 'PanelNodeEngineDown',
  labels: { severity: 'critical', ...node1Labels },
  summary: 'The container engine of the node node-1 does not answer',
};
const nodeOffline: RaisedAlert = {
  alert: 'PanelNodeOffline',
  labels: { severity: 'critical', ...node1Labels },
  summary: 'The node node-1 is not online, though its engine does not say why; see status_reason',
};
const jobFailure = (service: string): RaisedAlert => ({
  alert: 'PanelJobFailure',
  labels: { severity: 'warning', service },
  summary: `Periodic jobs of ${service} fail; its log names them (job)`,
});
const itemFailure: RaisedAlert = {
  alert: 'PanelJobItemFailure',
  labels: { severity: 'warning', service: 'servers' },
  summary: 'Records fail again and again in periodic jobs of servers; its log names them (itemId)',
};
const serviceGone = (service: string): RaisedAlert => ({
  alert: 'PanelServiceGone',
  labels: { severity: 'critical', service },
  summary: `No process of ${service} shows metrics`,
});
const counted = (alert: string, summary: string): RaisedAlert => ({ alert, labels: { severity: 'warning' }, summary });

/** Its jobs fail, what is read from it disappears, and services whose readiness ended are no longer found by name. */
const withoutDatabase = (upValues: string, failures: string): Series => ({
  ...all(mongoUp(services), upValues),
  ...all([...jobsOf(services), ...itemsOf(services)], failures),
});

export const alertScenarios: readonly AlertScenario[] = [
  { when: 'while nothing is wrong', series: {}, silentAt: ['0m', '1m', '30m', '1h'], raisesAt: [], raises: [] },
  {
    when: 'while MongoDB hangs',
    series: {
      ...withoutDatabase(from30(1, 0), grows(1)),
      ...all(identityUp, from30(1, 0)),
      ...all(allNodeMetrics, until30(1)),
      ...all(nodeCertificate(), until30(60 * day)),
      ...all(buildOf(services.slice(1, 2)), until30(1)),
    },
    silentAt: ['30m', '31m'],
    raisesAt: ['32m', '34m', '40m', '1h'],
    raises: [databaseDown(services.length)],
  },
  {
    when: 'while MongoDB answers one process now and then',
    series: all(
      mongoUp(files.slice(0, 1)),
      sometimes((sample) => sample % 3 !== 0),
    ),
    silentAt: ['30m', '31m'],
    raisesAt: ['32m', '40m', '1h'],
    raises: [databaseDown(1)],
  },
  {
    when: 'after MongoDB has hung for six minutes',
    series: withoutDatabase(`1x119 0x23 1x336`, grows(1, 26)),
    silentAt: ['45m', '50m', '51m', '52m', '55m', '60m', '65m', '66m', '70m', '80m'],
    raisesAt: [],
    raises: [],
  },
  {
    when: 'when MongoDB misses one answer',
    series: all(mongoUp(services), `1x119 0 1x359`),
    silentAt: ['30m', '30m30s', '31m', '31m30s', '32m', '40m'],
    raisesAt: [],
    raises: [],
  },
  {
    when: 'while jobs of a service fail beside a database that misses an answer every ten minutes',
    series: {
      ...all(jobsOf(replicas), grows(1)),
      ...all(
        mongoUp(files.slice(0, 1)),
        sometimes((sample) => sample % 40 === 0),
      ),
    },
    silentAt: ['31m', '34m'],
    raisesAt: ['40m', '1h'],
    raises: [jobFailure('servers')],
  },
  {
    when: 'while all jobs of two services fail',
    series: all(jobsOf([...replicas, ...services.slice(1, 2)]), grows(1)),
    silentAt: ['31m', '34m'],
    raisesAt: ['40m', '1h'],
    raises: [jobFailure('billing'), jobFailure('servers')],
  },
  {
    when: 'when one job fails twice',
    series: all(jobsOf(replicas).slice(0, 1), '0x119 1 2x359'),
    silentAt: ['35m', '40m', '45m'],
    raisesAt: [],
    raises: [],
  },
  {
    when: 'while a record fails in every run of a job',
    series: {
      ...all(itemsOf(replicas).slice(0, 1), grows(1)),
      ...all(
        mongoUp(files.slice(0, 1)),
        sometimes((sample) => sample % 40 === 0),
      ),
    },
    silentAt: ['31m', '36m'],
    raisesAt: ['40m', '1h'],
    raises: [itemFailure],
  },
  {
    when: 'while Redis does not answer',
    series: all(redisUp, from30(1, 0)),
    silentAt: ['30m', '30m45s'],
    raisesAt: ['31m', '40m', '1h'],
    raises: [
      counted(
        'PanelRedisDown',
        'Redis does not answer; each gateway counts its limits alone and asks identity about every request',
      ),
    ],
  },
  {
    when: 'while Redis restarts within half a minute',
    series: all(redisUp, `1x119 0 0 1x358`),
    silentAt: ['30m15s', '31m', '32m'],
    raisesAt: [],
    raises: [],
  },
  {
    when: 'while a service has no process',
    series: all(buildOf(services.slice(1, 2)), until30(1)),
    silentAt: ['31m'],
    raisesAt: ['32m', '1h'],
    raises: [serviceGone('billing')],
  },
  {
    when: 'while identity has no process',
    series: {
      ...all(buildOf(services.slice(0, 1)), until30(1)),
      ...all(mongoUp(services.slice(0, 1)), until30(1)),
      ...all(identityUp, from30(1, 0)),
    },
    silentAt: ['31m'],
    raisesAt: ['32m', '1h'],
    raises: [serviceGone('identity')],
  },
  {
    when: 'while one of two replicas is gone',
    series: all([...buildOf(replicas.slice(0, 1)), ...buildOf(gateways.slice(0, 1))], until30(1)),
    silentAt: ['31m', '40m', '1h'],
    raisesAt: [],
    raises: [],
  },
  {
    when: 'while no gateway reaches identity',
    series: all(identityUp, from30(1, 0)),
    silentAt: ['30m', '31m45s'],
    raisesAt: ['32m', '1h'],
    raises: [
      {
        alert: 'PanelIdentityUnreachable',
        labels: { severity: 'critical' },
        summary: 'No gateway reaches identity; every request is refused',
      },
    ],
  },
  {
    when: 'when entries of an outbox were given up',
    series: all(parked.slice(0, 1), from30(0, 2)),
    silentAt: ['29m'],
    raisesAt: ['30m', '1h'],
    raises: [
      {
        alert: 'PanelOutboxParked',
        labels: { severity: 'warning', service: 'identity', outbox: 'activity' },
        summary: 'identity has given up entries of activity',
      },
    ],
  },
  {
    when: 'while an engine is dead',
    series: {
      ...all([...engineUp(node1), ...statusOf('online', node1)], from30(1, 0)),
      ...all(statusOf('offline', node1), from30(0, 1)),
      ...all([...filesUp(node1), ...clockOf('engine', node1)], until30(1)),
    },
    silentAt: ['30m', '30m45s'],
    raisesAt: ['31m', '32m', '40m', '1h'],
    raises: [engineDown],
  },
  {
    when: 'while a machine is dead whose files service was missed first',
    series: {
      ...all([...engineUp(node1), ...statusOf('online', node1)], `1x119 1 1 0x358`),
      ...all(filesUp(node1), `1x119 0 0 stale _x357`),
      ...all(mongoUp(files.slice(0, 1)), until30(1)),
    },
    silentAt: ['30m', '31m'],
    raisesAt: ['32m', '40m', '1h'],
    raises: [engineDown],
  },
  {
    when: 'while a files process is dead',
    series: {
      ...all(filesUp(node1), from30(1, 0)),
      ...all([...mongoUp(files.slice(0, 1)), ...buildOf(files.slice(0, 1))], until30(1)),
      ...all(backups.slice(0, 1), until30(0)),
    },
    silentAt: ['30m', '31m45s'],
    raisesAt: ['32m', '40m', '1h'],
    raises: [
      {
        alert: 'PanelNodeFilesDown',
        labels: { severity: 'critical', ...node1Labels },
        summary: 'The files service of the node node-1 does not answer; nothing is installed or started there',
      },
    ],
  },
  {
    when: 'while the disk of a node is gone',
    series: {
      ...all(statusOf('online', node1), from30(1, 0)),
      ...all(statusOf('offline', node1), from30(0, 1)),
      ...all(filesUp(node1), until30(1)),
    },
    silentAt: ['30m', '31m45s'],
    raisesAt: ['32m', '40m', '1h'],
    raises: [nodeOffline],
  },
  {
    when: 'while no replica watches a node',
    series: {
      ...all(statusOf('online', node1), from30(1, 0)),
      ...all(statusOf('unknown', node1), from30(0, 1)),
      ...all([...engineUp(node1), ...filesUp(node1)], until30(1)),
    },
    silentAt: ['30m', '31m45s'],
    raisesAt: ['40m', '1h'],
    raises: [nodeOffline],
  },
  ...[-7.5, 7.5].map((offset): AlertScenario => ({
    when: `while a clock is ${offset} s off`,
    series: all(clockOf('files', node1), from30(0, offset)),
    silentAt: ['30m', '34m45s'],
    raisesAt: ['35m', '1h'],
    raises: [
      {
        alert: 'PanelNodeClockDiffers',
        labels: { severity: 'warning', ...node1Labels, part: 'files' },
        summary: 'The clock of files on the node node-1 is 7.5 s off',
      },
    ],
  })),
  {
    when: 'when a certificate of the processes ends in 14 days',
    series: all(certificates, always(14 * day + 3_600)),
    silentAt: ['59m'],
    raisesAt: ['61m'],
    raises: [
      {
        alert: 'PanelCertificateEnds',
        labels: { severity: 'warning', certificate: 'GRPC_TLS_CERT' },
        summary: 'The certificate in GRPC_TLS_CERT ends in 13d 23h 59m 0s',
      },
    ],
  },
  {
    when: 'when a certificate of a node ends in 14 days',
    series: all(nodeCertificate(node1), always(14 * day + 3_600)),
    silentAt: ['59m'],
    raisesAt: ['61m'],
    raises: [
      {
        alert: 'PanelNodeCertificateEnds',
        labels: { severity: 'warning', ...node1Labels, certificate: 'tls_cert' },
        summary: 'tls_cert for the engine of node-1 ends in 13d 23h 59m 0s',
      },
    ],
  },
  {
    when: 'when three installations fail on two replicas',
    series: {
      ...all(ended('installing').slice(0, 1), grows(1, 2)),
      ...all(ended('reinstalling').slice(1), grows(1, 1)),
    },
    silentAt: ['29m', '1h2m'],
    raisesAt: ['31m', '55m'],
    raises: [
      counted(
        'PanelInstallationsFailing',
        '3 installations have failed in half an hour; see install_error of the servers',
      ),
    ],
  },
  {
    when: 'when two installations fail',
    series: all(ended('installing'), grows(1, 1)),
    silentAt: ['31m', '55m'],
    raisesAt: [],
    raises: [],
  },
  {
    when: 'when a transfer fails',
    series: all(ended('transferring').slice(0, 1), grows(1, 1)),
    silentAt: ['29m', '1h31m'],
    raisesAt: ['31m', '1h20m'],
    raises: [counted('PanelTransfersFailing', '1 transfers have failed in an hour; see last_transfer of the servers')],
  },
  {
    when: 'when a backup fails',
    series: all(backups.slice(0, 1), grows(1, 1)),
    silentAt: ['29m', '1h31m'],
    raisesAt: ['31m', '1h20m'],
    raises: [counted('PanelBackupsFailing', '1 backups have failed in an hour; the activity log says why')],
  },
];
