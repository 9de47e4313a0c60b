import type { AddressGuard } from '@panel/kit/net';
import {
  type ActorSigner,
  adminClockSource,
  type Client,
  type ClockSource,
  connect,
  type Connection,
  type ConnectionOptions,
  serviceActor,
  type TlsFiles,
  type TransportName,
} from '@panel/rpc';
import {
  ActivityServiceService,
  MailServiceService,
  SettingsServiceService,
  TestClockServiceService,
} from '@panel/protos/admin';
import {
  CartServiceService,
  CouponServiceService,
  CreditServiceService,
  GiftCodeServiceService,
  InvoiceServiceService,
  OrderServiceService,
  PaymentServiceService,
  ProductServiceService,
  ProfileServiceService,
  ReportServiceService,
  ServiceServiceService,
} from '@panel/protos/billing';
import { BackupServiceService as BackupFilesService, FileServiceService } from '@panel/protos/files';
import {
  AccountServiceService,
  AuthServiceService,
  CredentialServiceService,
  RoleServiceService,
  UserServiceService,
} from '@panel/protos/identity';
import {
  AllocationServiceService,
  BackupServiceService,
  ConsoleServiceService,
  DatabaseHostServiceService,
  DatabaseServiceService,
  EggServiceService,
  NestServiceService,
  NodeServiceService,
  RegistryServiceService,
  ScheduleServiceService,
  ServerServiceService,
  SubuserServiceService,
} from '@panel/protos/servers';
import type { ServiceAddresses } from './config.js';

export interface Services {
  readonly auth: Client<typeof AuthServiceService>;
  readonly account: Client<typeof AccountServiceService>;
  readonly users: Client<typeof UserServiceService>;
  readonly credentials: Client<typeof CredentialServiceService>;
  readonly roles: Client<typeof RoleServiceService>;
  readonly servers: Client<typeof ServerServiceService>;
  readonly subusers: Client<typeof SubuserServiceService>;
  readonly console: Client<typeof ConsoleServiceService>;
  /** Separate: console floods delay no other call. */
  readonly consoleStreams: Pick<Client<typeof ConsoleServiceService>, 'watchServer'>;
  readonly schedules: Client<typeof ScheduleServiceService>;
  readonly backups: Client<typeof BackupServiceService>;
  readonly nodes: Client<typeof NodeServiceService>;
  readonly allocations: Client<typeof AllocationServiceService>;
  readonly databases: Client<typeof DatabaseServiceService>;
  readonly databaseHosts: Client<typeof DatabaseHostServiceService>;
  readonly registries: Client<typeof RegistryServiceService>;
  readonly nests: Client<typeof NestServiceService>;
  readonly eggs: Client<typeof EggServiceService>;
  readonly products: Client<typeof ProductServiceService>;
  readonly profiles: Client<typeof ProfileServiceService>;
  readonly orders: Client<typeof OrderServiceService>;
  readonly coupons: Client<typeof CouponServiceService>;
  readonly carts: Client<typeof CartServiceService>;
  readonly payments: Client<typeof PaymentServiceService>;
  readonly invoices: Client<typeof InvoiceServiceService>;
  readonly giftCodes: Client<typeof GiftCodeServiceService>;
  readonly credits: Client<typeof CreditServiceService>;
  /** Purchases. */
  readonly boughtServices: Client<typeof ServiceServiceService>;
  readonly reports: Client<typeof ReportServiceService>;
  readonly settings: Client<typeof SettingsServiceService>;
  readonly mail: Client<typeof MailServiceService>;
  readonly activity: Client<typeof ActivityServiceService>;
  readonly testClock: Client<typeof TestClockServiceService>;
  /** At the address from the servers service. */
  files(address: string): Client<typeof FileServiceService>;
  /** At the same address. */
  backupFiles(address: string): Client<typeof BackupFilesService>;
}

export interface ConnectedServices extends Services {
  readonly clockSource: ClockSource;
  /** Throws SERVICE_UNAVAILABLE after `timeoutMs`. */
  checkIdentity(timeoutMs: number): Promise<void>;
  close(): void;
}

interface ServiceOptions {
  readonly addresses: ServiceAddresses;
  readonly signer: ActorSigner;
  readonly tls: TlsFiles | null;
  readonly transport: TransportName;
  /** Allowed addresses of files services. */
  readonly nodeGuard: AddressGuard;
}

/** One per service, and per node from its first use. */
export function connectServices({ addresses, signer, tls, transport, nodeGuard }: ServiceOptions): ConnectedServices {
  const open: Connection[] = [];
  const connectTo = (address: string, options: Pick<ConnectionOptions, 'streams' | 'guard'> = {}) => {
    const connection = connect({ ...options, address, signer, tls, transport, actor: serviceActor('gateway') });
    open.push(connection);
    return connection;
  };
  const identity = connectTo(addresses.identity);
  const servers = connectTo(addresses.servers);
  const admin = connectTo(addresses.admin);
  const billing = connectTo(addresses.billing);
  const fileNodes = new Map<string, Connection>();
  const connectToNode = (address: string) => {
    const connection = fileNodes.get(address) ?? connectTo(address, { guard: nodeGuard, streams: 'relayed' });
    fileNodes.set(address, connection);
    return connection;
  };
  return {
    auth: identity.client(AuthServiceService),
    account: identity.client(AccountServiceService),
    users: identity.client(UserServiceService),
    credentials: identity.client(CredentialServiceService),
    roles: identity.client(RoleServiceService),
    servers: servers.client(ServerServiceService),
    subusers: servers.client(SubuserServiceService),
    console: servers.client(ConsoleServiceService),
    consoleStreams: connectTo(addresses.servers, { streams: 'events' }).client(ConsoleServiceService),
    schedules: servers.client(ScheduleServiceService),
    backups: servers.client(BackupServiceService),
    nodes: servers.client(NodeServiceService),
    allocations: servers.client(AllocationServiceService),
    databases: servers.client(DatabaseServiceService),
    databaseHosts: servers.client(DatabaseHostServiceService),
    registries: servers.client(RegistryServiceService),
    nests: servers.client(NestServiceService),
    eggs: servers.client(EggServiceService),
    products: billing.client(ProductServiceService),
    profiles: billing.client(ProfileServiceService),
    orders: billing.client(OrderServiceService),
    coupons: billing.client(CouponServiceService),
    carts: billing.client(CartServiceService),
    payments: billing.client(PaymentServiceService),
    invoices: billing.client(InvoiceServiceService),
    giftCodes: billing.client(GiftCodeServiceService),
    credits: billing.client(CreditServiceService),
    boughtServices: billing.client(ServiceServiceService),
    reports: billing.client(ReportServiceService),
    settings: admin.client(SettingsServiceService),
    mail: admin.client(MailServiceService),
    activity: admin.client(ActivityServiceService),
    testClock: admin.client(TestClockServiceService),
    clockSource: adminClockSource(admin),
    files: (address) => connectToNode(address).client(FileServiceService),
    backupFiles: (address) => connectToNode(address).client(BackupFilesService),
    checkIdentity: async (timeoutMs) => identity.waitUntilReachable(timeoutMs),
    close: () => {
      for (const connection of open) connection.close();
    },
  };
}
