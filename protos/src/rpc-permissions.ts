import type { AccountPermission } from './account-permissions.js';
import type { AdminPermission } from './admin-permissions.js';
import type { ServerPermission } from './server-permissions.js';

/**
 * Who may call an RPC. Each field is an alternative: one that holds is enough. Our own services and the tools that sign
 * as one may call everything.
 */
export interface RpcPermission {
  /** Anybody, also without a credential. */
  readonly isPublic?: true;
  /** A user, about their own account. An API key with a list of permissions needs this one on it. */
  readonly account?: AccountPermission;
  /** A user whose role holds it. */
  readonly admin?: AdminPermission;
  /**
   * A user who holds one of these on the server that the request names; an empty list: any access to it. The gate before
   * the handler lets every user pass, and the use case checks when it loads the server.
   */
  readonly server?: readonly ServerPermission[];
  /** A caller with a file grant, which the servers service signs for one permission on one server. */
  readonly grant?: ServerPermission;
}

const anyone: RpcPermission = { isPublic: true };
const services: RpcPermission = {};
const account = (permission: AccountPermission): RpcPermission => ({ account: permission });
const admin = (permission: AdminPermission): RpcPermission => ({ admin: permission });
const server = (...permissions: ServerPermission[]): RpcPermission => ({ server: permissions });
const grant = (permission: ServerPermission): RpcPermission => ({ grant: permission });

/**
 * Every RPC and who may call it: the one place where a right is given. The gateway's routes and the services read it; a
 * test fails when an RPC has no row.
 */
export const rpcPermissions = {
  'panel.common.v1.MultiplexService': {
    // Each call inside the stream is checked by its own row.
    Multiplex: anyone,
  },
  'panel.identity.v1.AuthService': {
    Login: anyone,
    VerifyTwoFactor: anyone,
    RefreshSession: anyone,
    RequestPasswordReset: anyone,
    ResetPassword: anyone,
    // Ends the session that calls; an API key ends nothing by it.
    Logout: account('account.sessions'),
    // The refresh token is the proof.
    EndSession: anyone,
    Authenticate: services,
    AuthenticateSftp: services,
  },
  'panel.identity.v1.AccountService': {
    GetAccount: account('account.read'),
    UpdateAccount: account('account.update'),
    ChangePassword: account('account.password'),
    BeginTwoFactor: account('account.two-factor'),
    ConfirmTwoFactor: account('account.two-factor'),
    DisableTwoFactor: account('account.two-factor'),
    ListApiKeys: account('account.api-keys'),
    CreateApiKey: account('account.api-keys'),
    DeleteApiKey: account('account.api-keys'),
    ListSessions: account('account.sessions'),
    RevokeSession: account('account.sessions'),
    ListSshKeys: account('account.ssh-keys'),
    CreateSshKey: account('account.ssh-keys'),
    DeleteSshKey: account('account.ssh-keys'),
    GetPreferences: account('account.read'),
    UpdatePreferences: account('account.update'),
  },
  'panel.identity.v1.CredentialService': {
    ListUserApiKeys: admin('users.view'),
    DeleteUserApiKey: admin('users.update'),
    ListUserSessions: admin('users.view'),
    RevokeUserSessions: admin('users.update'),
  },
  'panel.identity.v1.UserService': {
    EnsureFirstAdmin: services,
    BatchGetUsers: services,
    FindUserByEmail: services,
    BatchGetUsersByEmail: services,
    GetUser: admin('users.view'),
    ListUsers: admin('users.view'),
    CreateUser: admin('users.create'),
    UpdateUser: admin('users.update'),
    DeleteUser: admin('users.delete'),
    DisableUserTwoFactor: admin('users.update'),
  },
  'panel.identity.v1.RoleService': {
    ListRoles: admin('roles.view'),
    GetRole: admin('roles.view'),
    CreateRole: admin('roles.create'),
    UpdateRole: admin('roles.update'),
    DeleteRole: admin('roles.delete'),
  },
  'panel.servers.v1.NestService': {
    ListNests: admin('nests.view'),
    GetNest: admin('nests.view'),
    CreateNest: admin('nests.create'),
    UpdateNest: admin('nests.update'),
    DeleteNest: admin('nests.delete'),
  },
  'panel.servers.v1.EggService': {
    ListEggs: admin('eggs.view'),
    GetEgg: admin('eggs.view'),
    CheckVariables: admin('eggs.view'),
    CreateEgg: admin('eggs.create'),
    UpdateEgg: admin('eggs.update'),
    ImportEgg: admin('eggs.import'),
    ExportEgg: admin('eggs.export'),
    DeleteEgg: admin('eggs.delete'),
    ApplyEgg: admin('eggs.update'),
  },
  'panel.servers.v1.NodeService': {
    ListNodes: admin('nodes.view'),
    GetNode: admin('nodes.view'),
    GetNodeMetrics: admin('nodes.view'),
    CreateNode: admin('nodes.create'),
    UpdateNode: admin('nodes.update'),
    DeleteNode: admin('nodes.delete'),
    GetNodeReport: admin('nodes.view'),
    AcceptNodeFiles: admin('nodes.update'),
    DeleteNodeVolume: admin('servers.delete'),
  },
  'panel.servers.v1.AllocationService': {
    ListAllocations: admin('allocations.view'),
    CreateAllocations: admin('allocations.create'),
    DeleteAllocation: admin('allocations.delete'),
  },
  'panel.servers.v1.DatabaseService': {
    ListDatabases: server('database.read'),
    // The answer has the password for who holds `database.view_password`.
    CreateDatabase: server('database.create'),
    DeleteDatabase: server('database.delete'),
    // Needs `database.view_password` beside it.
    RotateDatabasePassword: server('database.update'),
    // A user who may see the password may read everything.
    ExportDatabase: server('database.view_password'),
    // Needs `database.view_password` beside it.
    ImportDatabase: server('database.update'),
  },
  'panel.servers.v1.DatabaseHostService': {
    ListDatabaseHosts: admin('nodes.view'),
    GetDatabaseHost: admin('nodes.view'),
    CreateDatabaseHost: admin('nodes.create'),
    UpdateDatabaseHost: admin('nodes.update'),
    DeleteDatabaseHost: admin('nodes.delete'),
    GetDatabaseHostReport: admin('nodes.view'),
  },
  'panel.servers.v1.RegistryService': {
    ListRegistries: admin('nodes.view'),
    GetRegistry: admin('nodes.view'),
    CreateRegistry: admin('nodes.create'),
    UpdateRegistry: admin('nodes.update'),
    DeleteRegistry: admin('nodes.delete'),
  },
  'panel.servers.v1.OwnershipService': {
    CountOwnedServers: admin('servers.view'),
    RemoveUserFromServers: services,
  },
  'panel.servers.v1.UsageService': {
    ListHourlyUsage: admin('servers.view'),
  },
  'panel.servers.v1.ServerService': {
    // Of everybody's servers with the admin permission, of the caller's own without.
    ListServers: { server: [], admin: 'servers.view' },
    GetServer: { server: [], admin: 'servers.view' },
    GetOperation: { server: [], admin: 'servers.view' },
    CreateServer: admin('servers.create'),
    UpdateServer: admin('servers.update'),
    DeleteServer: admin('servers.delete'),
    SuspendServer: admin('servers.suspend'),
    UnsuspendServer: admin('servers.suspend'),
    TransferServer: admin('servers.transfer'),
    CancelDeletion: admin('servers.delete'),
    CancelTransfer: admin('servers.transfer'),
    ReinstallServer: { server: ['settings.reinstall'], admin: 'servers.reinstall' },
    RenameServer: server('settings.rename'),
    GetStartup: server('startup.read'),
    // Another image needs `startup.docker-image`, everything else `startup.update`.
    UpdateStartup: server('startup.update', 'startup.docker-image'),
    // Each feature needs the permission for what it does.
    ResolveFeature: server('file.create', 'startup.docker-image', 'startup.update', 'control.restart'),
    ListServerAllocations: server('allocation.read'),
    AddServerAllocation: server('allocation.create'),
    UpdateServerAllocation: server('allocation.update'),
    RemoveServerAllocation: server('allocation.delete'),
    GetInstallLog: { server: ['settings.reinstall'], admin: 'servers.view' },
    // The permission that the request names, one of the file and backup permissions.
    GrantFileAccess: server(),
    GrantSftpAccess: server('file.sftp'),
  },
  'panel.servers.v1.ConsoleService': {
    // One of these, by the action: `powerPermissions`.
    SendPowerAction: server('control.start', 'control.stop', 'control.restart'),
    GetPowerOperation: { server: [], admin: 'servers.view' },
    SendCommand: server('control.console'),
    GetResources: { server: [], admin: 'servers.view' },
    GetMetrics: { server: [], admin: 'servers.view' },
    BatchGetResources: { server: [], admin: 'servers.view' },
    WatchServer: server('websocket.connect'),
    ListConsoleLines: server('websocket.connect'),
  },
  // Who writes or executes a schedule also holds the permission of each of its tasks: `taskPermission` in the service.
  'panel.servers.v1.ScheduleService': {
    ListSchedules: server('schedule.read'),
    GetSchedule: server('schedule.read'),
    CreateSchedule: server('schedule.create'),
    UpdateSchedule: server('schedule.update'),
    DeleteSchedule: server('schedule.delete'),
    ExecuteSchedule: server('schedule.update'),
    CancelRun: server('schedule.update'),
    RotateScheduleWebhook: server('schedule.update'),
    // The gateway passes on who called the web address of a schedule; the signature is checked by the service.
    TriggerSchedule: services,
  },
  'panel.servers.v1.SubuserService': {
    ListSubusers: server('user.read'),
    CreateSubuser: server('user.create'),
    UpdateSubuser: server('user.update'),
    DeleteSubuser: server('user.delete'),
    // A user with access may give it up.
    LeaveServer: server(),
    ListSubuserRoles: server('user.read'),
    CreateSubuserRole: server('user.create'),
    UpdateSubuserRole: server('user.update'),
    DeleteSubuserRole: server('user.delete'),
  },
  'panel.servers.v1.BackupService': {
    // With databases also `database.view_password`, and to restore them `database.update`.
    CreateBackup: server('backup.create'),
    RestoreBackup: server('backup.restore'),
    DeleteBackup: server('backup.delete'),
    SetBackupLock: server('backup.delete'),
    // Of a backup with databases also `database.view_password`.
    GrantBackupDownload: server('backup.download'),
    ListRetainedBackups: admin('servers.view'),
    DeleteRetainedBackup: admin('servers.delete'),
    GrantRetainedBackup: admin('servers.delete'),
  },
  'panel.files.v1.BackupService': {
    ListBackups: grant('backup.read'),
    GetBackup: grant('backup.read'),
    DownloadBackup: grant('backup.download'),
    ListBackupFiles: grant('backup.read'),
    ReserveBackup: services,
    ConfirmBackup: services,
    RunBackup: services,
    FailBackup: services,
    SetBackupLock: services,
    DeleteBackup: services,
    RestoreBackup: services,
    DeleteServerBackups: services,
    ListRetainedBackups: services,
    ReceiveBackups: services,
    ExportBackup: services,
  },
  'panel.files.v1.FileService': {
    ListDirectory: grant('file.read'),
    ReadFile: grant('file.read-content'),
    CreateDownloadLink: grant('file.read-content'),
    UseDownloadLink: grant('file.read-content'),
    ReleaseDownloadLink: grant('file.read-content'),
    ReadDirectoryAsArchive: grant('file.read-content'),
    WriteFile: grant('file.update'),
    // One that replaces a file needs a grant for `file.update`.
    ExchangeUpload: grant('file.create'),
    ListUploads: grant('file.read'),
    CreateDirectory: grant('file.create'),
    RenameFiles: grant('file.update'),
    CopyFile: grant('file.create'),
    DeleteFiles: grant('file.delete'),
    ChmodFiles: grant('file.update'),
    SearchFiles: grant('file.read-content'),
    CompressFiles: grant('file.archive'),
    DecompressFile: grant('file.archive'),
    PullFile: grant('file.create'),
    ListTrash: grant('file.read'),
    RestoreTrash: grant('file.create'),
    EmptyTrash: grant('file.delete'),
    ListFileVersions: grant('file.read'),
    ReadFileVersion: grant('file.read-content'),
    RestoreFileVersion: grant('file.update'),
    ListFileOperations: grant('file.read'),
    GetFileOperation: grant('file.read'),
    CancelFileOperation: grant('file.archive'),
  },
  'panel.files.v1.VolumeService': {
    CreateVolume: services,
    OpenVolume: services,
    DeleteVolume: services,
    SetVolumeLimits: services,
    GetVolumeUsage: services,
    RewriteConfigFiles: services,
    GetDataRoot: services,
    AdvanceEpoch: services,
    ListVolumes: services,
    MeasureVolumes: services,
    ExportVolume: services,
    ReceiveVolume: services,
    DiscardVolumeTransfer: services,
    FreezeVolume: services,
    ThawVolume: services,
    VerifyVolume: services,
  },
  // Users buy for themselves; what is everybody's is shown with the admin permission only.
  'panel.billing.v1.ProductService': {
    ListProducts: { account: 'account.billing', admin: 'billing.view' },
    GetProduct: { account: 'account.billing', admin: 'billing.view' },
    CreateProduct: admin('billing.create'),
    UpdateProduct: admin('billing.update'),
    DeleteProduct: admin('billing.delete'),
  },
  'panel.billing.v1.CartService': {
    GetCart: account('account.billing'),
    AddCartItem: account('account.billing'),
    RemoveCartItem: account('account.billing'),
    ApplyCoupon: account('account.billing'),
    RemoveCoupon: account('account.billing'),
  },
  'panel.billing.v1.CouponService': {
    ListCoupons: admin('billing.view'),
    CreateCoupon: admin('billing.create'),
    UpdateCoupon: admin('billing.update'),
    DeleteCoupon: admin('billing.delete'),
  },
  'panel.billing.v1.CreditService': {
    GetCredits: { account: 'account.billing', admin: 'billing.view' },
    GrantCredits: admin('billing.update'),
    BuyCredits: account('account.billing'),
  },
  'panel.billing.v1.GiftCodeService': {
    ListGiftCodes: admin('billing.view'),
    GetGiftCode: admin('billing.view'),
    CreateGiftCodes: admin('billing.create'),
    DeleteGiftCode: admin('billing.delete'),
    RedeemGiftCode: account('account.billing'),
  },
  'panel.billing.v1.InvoiceService': {
    ListInvoices: { account: 'account.billing', admin: 'billing.view' },
    GetInvoice: { account: 'account.billing', admin: 'billing.view' },
    RenderInvoice: { account: 'account.billing', admin: 'billing.view' },
    PayInvoice: account('account.billing'),
    UpdateInvoiceStatus: admin('billing.update'),
    RefundInvoice: admin('billing.update'),
    GetBankTransfer: { account: 'account.billing', admin: 'billing.view' },
    ImportBankStatement: admin('billing.update'),
  },
  'panel.billing.v1.ObligationService': {
    GetObligations: services,
  },
  'panel.billing.v1.OrderService': {
    Checkout: account('account.billing'),
    ListOrders: { account: 'account.billing', admin: 'billing.view' },
    GetOrder: { account: 'account.billing', admin: 'billing.view' },
    CancelOrder: { account: 'account.billing', admin: 'billing.update' },
  },
  'panel.billing.v1.PaymentService': {
    ListPaymentMethods: account('account.billing'),
    ListStoredMethods: account('account.billing'),
    DeleteStoredMethod: account('account.billing'),
    // The gateway passes on what a payment provider sent; its signature is checked by billing.
    ReceiveWebhook: services,
  },
  'panel.billing.v1.ProfileService': {
    GetProfile: { account: 'account.billing', admin: 'billing.view' },
    UpdateProfile: account('account.billing'),
    SetTaxExemption: admin('billing.update'),
  },
  'panel.billing.v1.ReportService': {
    GetRevenue: admin('billing.view'),
    GetTax: admin('billing.view'),
    GetRecognizedRevenue: admin('billing.view'),
    GetReceivables: admin('billing.view'),
    GetPaymentsByGateway: admin('billing.view'),
    ExportJournal: admin('billing.view'),
    ExportDocuments: admin('billing.view'),
    GetRecurringRevenue: admin('billing.view'),
    ListDiscrepancies: admin('billing.view'),
  },
  'panel.billing.v1.ServiceService': {
    ListServices: { account: 'account.billing', admin: 'billing.view' },
    GetService: { account: 'account.billing', admin: 'billing.view' },
    CancelService: { account: 'account.billing', admin: 'billing.update' },
    ResumeService: { account: 'account.billing', admin: 'billing.update' },
    ChangePlan: { account: 'account.billing', admin: 'billing.update' },
    RetryService: admin('billing.update'),
    UpdateService: admin('billing.update'),
  },
  'panel.admin.v1.ActivityService': {
    RecordActivity: services,
    // Users read about themselves and about servers that they hold `activity.read` on.
    ListActivity: { account: 'account.activity', server: ['activity.read'], admin: 'settings.view' },
  },
  'panel.admin.v1.MailService': {
    EnqueueMail: services,
    SendTestMail: admin('settings.update'),
    ListMailTemplates: admin('settings.view'),
    PreviewMailTemplate: admin('settings.view'),
  },
  'panel.admin.v1.SettingsService': {
    GetSettings: admin('settings.view'),
    UpdateSettings: admin('settings.update'),
  },
  'panel.admin.v1.TestClockService': {
    GetTestClock: admin('settings.view'),
    AdvanceTestClock: admin('settings.update'),
    FollowTestClock: services,
  },
} satisfies Readonly<Record<string, Readonly<Record<string, RpcPermission>>>>;

/** The power actions and what each needs: a user who may stop a server may also kill it. */
export const powerPermissions = {
  start: 'control.start',
  stop: 'control.stop',
  restart: 'control.restart',
  kill: 'control.stop',
} as const satisfies Readonly<Record<string, ServerPermission>>;

const byPath: ReadonlyMap<string, RpcPermission> = new Map(
  Object.entries(rpcPermissions).flatMap(([service, rows]) =>
    Object.entries(rows).map(([method, row]): [string, RpcPermission] => [`/${service}/${method}`, row]),
  ),
);

/** The row of an RPC by its path, e.g. `/panel.servers.v1.NodeService/GetNode`; undefined: the table lacks it. */
export function findRpcPermission(path: string): RpcPermission | undefined {
  return byPath.get(path);
}

/** The row of a method of a generated service definition. Throws when the table lacks it. */
export function rpcPermissionOf({ path }: { readonly path: string }): RpcPermission {
  const row = byPath.get(path);
  if (!row) throw new Error(`${path} has no row in rpc-permissions.ts`);
  return row;
}
