/* oxlint-disable */
// Made from the gateway's route table by `npm run gen:client`: change the routes, not this file.

export interface TokenSet {
  access_token: string;
  refresh_token: string;
  token_type: 'Bearer';
  /** seconds until the access token expires */
  expires_in: number;
}

export interface TwoFactorChallenge {
  requires_2fa: true;
  /** send it to /auth/2fa/verify within 5 minutes */
  token: string;
}

export interface Accepted {
  accepted: boolean;
}

export interface Brand {
  name: string;
  /** path of the image; null without one */
  logo: string | null;
  colours: {
    /** like #1a2b3c; null: the console's own */
    primary: string | null;
    /** like #1a2b3c; null: the console's own */
    accent: string | null;
  };
  /** time of an installation whose staff may move it; null: real time */
  test_clock: string | null;
}

export interface BrowserSession {
  access_token: string;
  token_type: 'Bearer';
  /** seconds until the access token expires */
  expires_in: number;
}

export interface ListedServer {
  id: string;
  uuid_short: string;
  name: string;
  description: string;
  status: 'offline' | 'starting' | 'running' | 'stopping' | 'installing' | 'install_failed' | 'reinstalling' | 'suspended' | 'transferring' | 'restoring' | 'deleting' | 'unknown';
  suspended: boolean;
  /** MB */
  memory: number;
  /** percent of one core; 0 unlimited */
  cpu: number;
  /** MB; 0 unlimited */
  disk: number;
  limits: {
    memory: number;
    /** MB; -1 unlimited, 0 none */
    swap: number;
    disk: number;
    /** weight from 10 to 1000 */
    io: number;
    cpu: number;
  };
  feature_limits: {
    databases: number;
    backups: number;
    allocations: number;
  };
  is_owner: boolean;
  /** yours on this server */
  permissions: string[];
  node: {
    id: string;
    name: string;
  } | null;
  egg: {
    id: string;
    name: string;
  } | null;
  allocation: {
    id: string;
    ip: string;
    alias: string | null;
    port: number;
  } | null;
  allocations: {
    id: string;
    ip: string;
    alias: string | null;
    port: number;
  }[];
  docker_image: string;
  startup: string;
  variables: ServerVariable[];
  operation: Operation | null;
  install_error: string | null;
  /** of the install script */
  install_exit_code: number | null;
  created_at: string;
  updated_at: string;
  /** only with ?include=resources; null when it is not known */
  resources?: Resources | null;
}

export interface ServerVariable {
  name: string;
  description: string;
  env_variable: string;
  default_value: string;
  server_value: string;
  is_editable: boolean;
  rules: string[];
}

export interface Operation {
  /** for GET …/operations/{operation-id}; of a backup its own id */
  id: string;
  /** `backing_up` locks nothing */
  kind: 'installing' | 'reinstalling' | 'transferring' | 'restoring' | 'deleting' | 'backing_up';
  step: string;
  /** 0 to 100 */
  progress: number;
  started_at: string | null;
  /** what it waits for */
  problem: string | null;
}

export interface Resources {
  state: 'offline' | 'starting' | 'running' | 'stopping';
  suspended: boolean;
  /** milliseconds since the game started */
  uptime: number;
  /** percent; 100 is one core */
  cpu: number;
  cpu_absolute: number;
  /** bytes */
  memory: number;
  memory_bytes: number;
  memory_limit_bytes: number;
  /** bytes */
  disk: number;
  disk_bytes: number;
  network: {
    rx_bytes: number;
    tx_bytes: number;
  };
  observed_at: string | null;
}

export interface Server {
  id: string;
  uuid_short: string;
  name: string;
  description: string;
  status: 'offline' | 'starting' | 'running' | 'stopping' | 'installing' | 'install_failed' | 'reinstalling' | 'suspended' | 'transferring' | 'restoring' | 'deleting' | 'unknown';
  suspended: boolean;
  /** MB */
  memory: number;
  /** percent of one core; 0 unlimited */
  cpu: number;
  /** MB; 0 unlimited */
  disk: number;
  limits: {
    memory: number;
    /** MB; -1 unlimited, 0 none */
    swap: number;
    disk: number;
    /** weight from 10 to 1000 */
    io: number;
    cpu: number;
  };
  feature_limits: {
    databases: number;
    backups: number;
    allocations: number;
  };
  is_owner: boolean;
  /** yours on this server */
  permissions: string[];
  node: {
    id: string;
    name: string;
  } | null;
  egg: {
    id: string;
    name: string;
  } | null;
  allocation: {
    id: string;
    ip: string;
    alias: string | null;
    port: number;
  } | null;
  allocations: {
    id: string;
    ip: string;
    alias: string | null;
    port: number;
  }[];
  docker_image: string;
  startup: string;
  variables: ServerVariable[];
  operation: Operation | null;
  install_error: string | null;
  /** of the install script */
  install_exit_code: number | null;
  created_at: string;
  updated_at: string;
}

export interface PowerOperation {
  id: string;
  action: 'start' | 'stop' | 'restart' | 'kill';
  /** completed: the engine has done it; superseded: a kill, a suspension or a deletion came before its end */
  state: 'in_progress' | 'completed' | 'failed' | 'superseded';
  /** why it failed */
  error: string | null;
  started_at: string;
  ended_at: string | null;
}

export interface ServerOperation {
  id: string;
  /** power, what a server shows as its `operation`, or an archive or download */
  kind: 'power' | 'installing' | 'reinstalling' | 'transferring' | 'restoring' | 'deleting' | 'compress' | 'decompress' | 'pull';
  /** of a power action */
  action: 'start' | 'stop' | 'restart' | 'kill' | null;
  /** superseded: a kill, a suspension or a deletion came before the end of a power action */
  state: 'in_progress' | 'completed' | 'failed' | 'superseded' | 'cancelled';
  /** why it failed */
  error: string | null;
  started_at: string;
  ended_at: string | null;
}

export interface Startup {
  /** the command with its placeholders */
  startup: string;
  /** label of the command in use among those offered */
  startup_command: string | null;
  /** what the egg offers: label to command */
  startup_commands: Record<string, string>;
  /** the command with values */
  invocation: string;
  docker_image: string;
  variables: ServerVariable[];
}

export interface ResolvedFeature {
  docker_image: string;
  /** false, too, when something else is in progress with the server */
  restarting: boolean;
}

export interface ServerAllocation {
  id: string;
  ip: string;
  alias: string | null;
  port: number;
  notes: string | null;
  is_primary: boolean;
}

export interface ConsoleLines {
  /** oldest first */
  lines: {
    /** number of the line */
    seq: number;
    message: string;
    at: string;
  }[];
  /** whether there may be older lines */
  has_more: boolean;
}

/** lists of one length, one entry for each step; null where nothing is known */
export interface Metrics {
  /** start of the first step */
  from: string;
  /** end of the last step */
  to: string;
  /** seconds */
  step: number;
  /** percent; 100 is one core */
  cpu: (number | null)[];
  /** bytes */
  memory: (number | null)[];
  /** bytes */
  disk: (number | null)[];
  /** bytes per second */
  network_rx: (number | null)[];
  /** bytes per second */
  network_tx: (number | null)[];
}

export interface ActivityEvent {
  id: string;
  /** area and verb, like auth:success or server:power.start */
  event: string;
  at: string | null;
  /** who did it; null for an unknown user and for the panel itself */
  actor_id: string | null;
  /** their user name; null also when the user was deleted */
  actor_username: string | null;
  api_key_id: string | null;
  ip: string | null;
  user_agent: string | null;
  /** whose account it is about */
  user_id: string | null;
  server_id: string | null;
  properties: Record<string, string>;
}

export interface FileEntry {
  name: string;
  /** as in ls -l */
  mode: string;
  /** octal */
  mode_bits: string;
  /** bytes */
  size: number;
  is_file: boolean;
  is_symlink: boolean;
  mimetype: string;
  created_at: string | null;
  modified_at: string | null;
  /** absolute inside the server */
  path: string;
}

export interface FileContents {
  path: string;
  content: string;
  encoding: 'utf-8' | 'base64';
  size: number;
  modified_at: string | null;
  sha256: string;
}

export interface WrittenFile {
  name: string;
  /** as in ls -l */
  mode: string;
  /** octal */
  mode_bits: string;
  /** bytes */
  size: number;
  is_file: boolean;
  is_symlink: boolean;
  mimetype: string;
  created_at: string | null;
  modified_at: string | null;
  path: string;
  /** of what was written */
  sha256: string;
}

export interface FileOperation {
  id: string;
  kind: 'compress' | 'decompress' | 'pull';
  status: 'running' | 'completed' | 'failed' | 'cancelled';
  /** what is made, or where to it is extracted; empty until it is known */
  path: string;
  bytes_done: number;
  /** 0 when unknown */
  bytes_total: number;
  entries_done: number;
  /** links, devices and protected files that were left out */
  entries_skipped: number;
  error: {
    reason: string;
    message: string;
  } | null;
  started_at: string | null;
  ended_at: string | null;
}

export interface FileMatch {
  name: string;
  /** as in ls -l */
  mode: string;
  /** octal */
  mode_bits: string;
  /** bytes */
  size: number;
  is_file: boolean;
  is_symlink: boolean;
  mimetype: string;
  created_at: string | null;
  modified_at: string | null;
  path: string;
  /** first line that holds the content */
  line: number | null;
  /** that line, at most 200 characters */
  text: string;
}

export interface TrashEntry {
  id: string;
  /** where it was */
  path: string;
  is_directory: boolean;
  /** bytes on the disk */
  size: number;
  deleted_at: string | null;
  expires_at: string | null;
}

export interface FileVersion {
  id: string;
  path: string;
  size: number;
  sha256: string;
  /** when it was replaced */
  saved_at: string | null;
}

export interface DownloadLink {
  /** path of the API, or address at the node; for one download, without credentials */
  url: string;
  /** of the file that is downloaded; a directory is a tar.gz */
  name: string;
  /** until when the download has to begin */
  expires_at: string | null;
}

export interface Upload {
  id: string;
  path: string;
  /** bytes */
  size: number;
  /** bytes that have arrived */
  offset: number;
  overwrite: boolean;
  /** the file is in its place */
  completed: boolean;
  created_at: string;
  /** when it is removed unless another piece arrives */
  expires_at: string;
}

export interface Database {
  id: string;
  /** s<short id of the server>_<given name> */
  name: string;
  /** mysql is MariaDB and MySQL */
  engine: 'mysql' | 'postgresql';
  host: {
    address: string;
    port: number;
  };
  username: string;
  /** only in the answers to creation and rotation; null without database.view_password */
  password?: string | null;
  /** addresses the user may connect from */
  remote: string;
  /** sessions at a time; 0 not limited */
  max_connections: number;
  size_bytes: number;
  /** creating: an interrupted creation is being completed; deleting: dropped as soon as its host answers */
  status: 'creating' | 'active' | 'deleting';
  created_at: string;
}

export interface Backup {
  id: string;
  name: string;
  status: 'pending' | 'completed' | 'failed';
  /** neither deleted nor rotated away */
  is_locked: boolean;
  storage: 'node' | 's3' | 'restic';
  /** what it takes in its storage; of restic the length of its files */
  bytes: number;
  /** length of the files in it */
  content_bytes: number;
  /** sha256: and hex digits; null until completed */
  checksum: string | null;
  ignored_files: string[];
  error: {
    reason: string;
    message: string;
  } | null;
  created_at: string;
  completed_at: string | null;
  /** last restore, successful or not */
  restored_at: string | null;
  /** why the last restore failed */
  restore_error: string | null;
  /** names of the databases whose dumps are in it */
  databases: string[];
  /** what to look at, like a backup much smaller than the one before; else null */
  warning: string | null;
}

export interface BackupFile {
  name: string;
  path: string;
  is_file: boolean;
  is_symlink: boolean;
  size: number;
  modified_at: string | null;
}

export interface Schedule {
  id: string;
  name: string;
  cron: {
    minute: string;
    hour: string;
    day_of_month: string;
    month: string;
    day_of_week: string;
  };
  /** IANA name */
  timezone: string;
  is_active: boolean;
  only_when_online: boolean;
  trigger: {
    kind: 'cron' | 'server_started' | 'server_crashed' | 'players_empty' | 'backup_failed' | 'webhook';
    empty_minutes: number | null;
    join_pattern: string | null;
    leave_pattern: string | null;
  };
  /** user with whose permissions the tasks run */
  author_id: string;
  last_run_at: string | null;
  next_run_at: string | null;
  tasks: {
    id: string;
    /** from 1 */
    sequence: number;
    action: 'command' | 'power' | 'backup';
    payload: string;
    /** seconds after the task before */
    time_offset: number;
    continue_on_failure: boolean;
  }[];
  /** the last 10, newest first */
  runs: {
    id: string;
    status: 'running' | 'succeeded' | 'failed' | 'skipped' | 'cancelled';
    cause: 'trigger' | 'manual';
    started_at: string;
    ended_at: string | null;
    error: string | null;
    /** results so far */
    tasks: {
      /** of the task, from 1 */
      sequence: number;
      action: 'command' | 'power' | 'backup';
      /** interrupted: whether it was carried out is not known */
      status: 'succeeded' | 'failed' | 'interrupted';
      error: string | null;
      ended_at: string;
    }[];
  }[];
  /** path with signature; only of the trigger webhook, for callers with schedule.update */
  webhook_url: string | null;
  created_at: string;
  updated_at: string;
}

export interface Subuser {
  id: string;
  user: {
    /** null while invited */
    id: string | null;
    email: string;
    /** null while invited */
    username: string | null;
  };
  /** of the subuser, or of the role */
  permissions: string[];
  role: {
    id: string;
    name: string;
  } | null;
  path_rules: PathRule[];
  /** of the subusers who granted the access; all lists have to allow a file */
  inherited_path_rules: PathRule[][];
  status: 'active' | 'invited';
  /** user who gave the access; null: the panel */
  invited_by: string | null;
  expires_at: string | null;
  created_at: string;
  updated_at: string;
}

export interface PathRule {
  /** absolute; `/` is everything, `*` and `?` match within a name */
  path: string;
  access: 'allow' | 'read_only' | 'deny';
}

export interface SubuserRole {
  /** `viewer`, `operator`, `developer`, or a UUID */
  id: string;
  name: string;
  permissions: string[];
  /** every server has it, and it cannot be changed */
  built_in: boolean;
}

export interface User {
  id: string;
  email: string;
  username: string;
  first_name: string;
  last_name: string;
  /** BCP 47 tag */
  language: string;
  role: {
    id: string;
    name: string;
  };
  two_factor_enabled: boolean;
  created_at: string;
  updated_at: string;
}

export interface ApiKey {
  id: string;
  description: string;
  /** empty: all addresses */
  allowed_ips: string[];
  /** first characters of the key */
  identifier: string;
  /** null: all of the owner's */
  permissions: string[] | null;
  last_used_at: string | null;
  expires_at: string | null;
  created_at: string;
}

export interface CreatedApiKey {
  id: string;
  description: string;
  /** empty: all addresses */
  allowed_ips: string[];
  /** first characters of the key */
  identifier: string;
  /** null: all of the owner's */
  permissions: string[] | null;
  last_used_at: string | null;
  expires_at: string | null;
  created_at: string;
  /** the key itself; shown this once */
  key: string;
}

export interface Session {
  id: string;
  ip: string;
  user_agent: string;
  created_at: string;
  last_used_at: string | null;
  expires_at: string;
  /** whether this request was made with it */
  current: boolean;
}

export interface SshKey {
  id: string;
  name: string;
  /** like ssh-ed25519 */
  algorithm: string;
  /** as ssh-keygen -l prints it */
  fingerprint: string;
  /** algorithm and key, without a comment */
  public_key: string;
  last_used_at: string | null;
  created_at: string;
}

export interface Product {
  id: string;
  name: string;
  slug: string;
  description: string;
  category: string;
  active: boolean;
  /** null: unlimited */
  stock: number | null;
  /** null: unlimited */
  per_user_limit: number | null;
  plans: {
    id: string;
    name: string;
    price: {
      /** in minor units */
      amount: number;
      /** ISO 4217 */
      currency: string;
    };
    setup_fee: {
      /** in minor units */
      amount: number;
      /** ISO 4217 */
      currency: string;
    } | null;
    interval: 'day' | 'week' | 'month' | 'year' | 'once' | 'free' | 'metered';
    interval_count: number;
    /** of metered plans only */
    usage_rates: {
      /** millionths of a minor unit per running hour */
      running_hour_micros: number;
      memory_gb_hour_micros: number;
      disk_gb_hour_micros: number;
      traffic_gb_micros: number;
      /** minor units; 0: no cap */
      monthly_cap: number;
    } | null;
  }[];
  server: {
    egg_id: string;
    memory: number;
    cpu: number;
    disk: number;
    swap: number;
    io: number;
    databases_limit: number;
    backups_limit: number;
    allocations_limit: number;
    node_tags: string[];
    environment: Record<string, string>;
    docker_image: string | null;
    /** when the node starts: also a stopped server, only one that ran, or none */
    auto_start: 'always' | 'unless_stopped' | 'never';
    /** TZ of the game; null: the egg's, else the panel's */
    timezone: string | null;
    /** processors of the node that the game may use; null: all */
    threads: string | null;
    /** a game that reaches its memory limit waits instead of being ended */
    oom_disabled: boolean;
    /** seconds between the stop and the kill; null: the egg's, else the panel's */
    stop_grace: number | null;
  } | null;
  /** products a service of this one may change to */
  upgrade_product_ids: string[];
  created_at: string;
  updated_at: string;
}

export interface Cart {
  id: string;
  items: {
    id: string;
    product_id: string;
    product_name: string;
    plan_id: string;
    plan_name: string;
    quantity: number;
    config: {
      server_name: string;
      environment: Record<string, string>;
    };
    unit_price: {
      /** in minor units */
      amount: number;
      /** ISO 4217 */
      currency: string;
    };
    setup_fee: {
      /** in minor units */
      amount: number;
      /** ISO 4217 */
      currency: string;
    };
    subtotal: {
      /** in minor units */
      amount: number;
      /** ISO 4217 */
      currency: string;
    };
    discount: {
      /** in minor units */
      amount: number;
      /** ISO 4217 */
      currency: string;
    };
    /** why it cannot be bought any more */
    problem: string | null;
  }[];
  coupon: string | null;
  subtotal: {
    /** in minor units */
    amount: number;
    /** ISO 4217 */
    currency: string;
  };
  discount: {
    /** in minor units */
    amount: number;
    /** ISO 4217 */
    currency: string;
  };
  tax: {
    /** in minor units */
    amount: number;
    /** ISO 4217 */
    currency: string;
  };
  total: {
    /** in minor units */
    amount: number;
    /** ISO 4217 */
    currency: string;
  };
  tax_inclusive: boolean;
  tax_treatment: 'none' | 'standard' | 'reverse_charge' | 'outside_scope' | 'exempt';
  /** sums by rate */
  taxes: {
    /** percent */
    rate: number;
    net: {
      /** in minor units */
      amount: number;
      /** ISO 4217 */
      currency: string;
    };
    tax: {
      /** in minor units */
      amount: number;
      /** ISO 4217 */
      currency: string;
    };
    total: {
      /** in minor units */
      amount: number;
      /** ISO 4217 */
      currency: string;
    };
  }[];
}

export interface Order {
  id: string;
  number: string;
  user_id: string;
  status: 'pending' | 'paid' | 'completed' | 'cancelled' | 'failed';
  items: {
    product_id: string;
    product_name: string;
    plan_id: string;
    plan_name: string;
    quantity: number;
    unit_price: {
      /** in minor units */
      amount: number;
      /** ISO 4217 */
      currency: string;
    };
    setup_fee: {
      /** in minor units */
      amount: number;
      /** ISO 4217 */
      currency: string;
    };
    discount: {
      /** in minor units */
      amount: number;
      /** ISO 4217 */
      currency: string;
    };
    tax: {
      /** in minor units */
      amount: number;
      /** ISO 4217 */
      currency: string;
    };
    total: {
      /** in minor units */
      amount: number;
      /** ISO 4217 */
      currency: string;
    };
    config: {
      server_name: string;
      environment: Record<string, string>;
    };
  }[];
  total: {
    /** in minor units */
    amount: number;
    /** ISO 4217 */
    currency: string;
  };
  coupon: string | null;
  invoice_id: string;
  service_ids: string[];
  created_at: string;
}

export interface Invoice {
  id: string;
  number: string | null;
  kind: 'invoice' | 'credit_note';
  status: 'draft' | 'unpaid' | 'paid' | 'void' | 'refunded' | 'overdue';
  user_id: string;
  order_id: string | null;
  corrects_invoice_id: string | null;
  items: {
    description: string;
    service_id: string | null;
    quantity: number;
    unit_price: {
      /** in minor units */
      amount: number;
      /** ISO 4217 */
      currency: string;
    };
    setup_fee: {
      /** in minor units */
      amount: number;
      /** ISO 4217 */
      currency: string;
    };
    discount: {
      /** in minor units */
      amount: number;
      /** ISO 4217 */
      currency: string;
    };
    net: {
      /** in minor units */
      amount: number;
      /** ISO 4217 */
      currency: string;
    };
    tax: {
      /** in minor units */
      amount: number;
      /** ISO 4217 */
      currency: string;
    };
    total: {
      /** in minor units */
      amount: number;
      /** ISO 4217 */
      currency: string;
    };
    period_start: string | null;
    period_end: string | null;
  }[];
  subtotal: {
    /** in minor units */
    amount: number;
    /** ISO 4217 */
    currency: string;
  };
  discount: {
    /** in minor units */
    amount: number;
    /** ISO 4217 */
    currency: string;
  };
  tax: {
    /** in minor units */
    amount: number;
    /** ISO 4217 */
    currency: string;
  };
  total: {
    /** in minor units */
    amount: number;
    /** ISO 4217 */
    currency: string;
  };
  /** percent */
  tax_rate: number;
  tax_inclusive: boolean;
  tax_treatment: 'none' | 'standard' | 'reverse_charge' | 'outside_scope' | 'exempt';
  /** whose rate it is */
  tax_country: string | null;
  /** of `exempt` */
  tax_reason: string | null;
  /** of `reverse_charge`: number of the check at VIES */
  vat_consultation: string | null;
  vat_checked_at: string | null;
  /** sums by rate */
  taxes: {
    /** percent */
    rate: number;
    net: {
      /** in minor units */
      amount: number;
      /** ISO 4217 */
      currency: string;
    };
    tax: {
      /** in minor units */
      amount: number;
      /** ISO 4217 */
      currency: string;
    };
    total: {
      /** in minor units */
      amount: number;
      /** ISO 4217 */
      currency: string;
    };
  }[];
  /** where the customer is, under the tax scheme eu */
  place_evidence: {
    source: 'billing' | 'ip' | 'card';
    country: string;
  }[];
  /** whether it names different countries */
  place_conflict: boolean;
  customer: {
    name: string;
    email: string;
    company: string;
    address: string;
    country: string;
    vat_number: string;
    buyer_reference: string;
  };
  seller: {
    name: string;
    address: string;
    vat_number: string;
    /** of further registrations, separated by commas */
    other_vat_numbers: string | null;
  };
  payments: {
    /** also one of the gateway: `stripe:…` */
    id: string;
    method: string;
    amount: {
      /** in minor units */
      amount: number;
      /** ISO 4217 */
      currency: string;
    };
    reference: string;
    created_at: string;
  }[];
  /** accepted by a gateway, and not booked yet */
  pending_payment: {
    method: string;
    amount: {
      /** in minor units */
      amount: number;
      /** ISO 4217 */
      currency: string;
    };
    created_at: string;
  } | null;
  refunded: {
    /** in minor units */
    amount: number;
    /** ISO 4217 */
    currency: string;
  };
  issued_at: string;
  due_at: string;
  paid_at: string | null;
  created_at: string;
}

export interface Service {
  id: string;
  user_id: string;
  order_id: string;
  product: {
    id: string;
    name: string;
  };
  plan: {
    id: string;
    name: string;
  };
  status: 'pending' | 'provisioning' | 'active' | 'suspended' | 'cancelled' | 'terminated' | 'failed';
  suspend_reason: 'operator' | 'dispute' | 'debt' | 'no_user' | 'overdue' | 'balance' | null;
  server_id: string | null;
  price: {
    /** in minor units */
    amount: number;
    /** ISO 4217 */
    currency: string;
  };
  interval: 'day' | 'week' | 'month' | 'year' | 'once' | 'free' | 'metered';
  interval_count: number;
  /** that its customer knows in advance */
  price_change: {
    price: {
      /** in minor units */
      amount: number;
      /** ISO 4217 */
      currency: string;
    };
    starts_at: string;
  } | null;
  next_due_at: string | null;
  cancel_at_period_end: boolean;
  config: {
    server_name: string;
    environment: Record<string, string>;
  };
  /** why the last attempt on the server failed */
  error: string | null;
  attempts: number;
  next_attempt_at: string | null;
  created_at: string;
  ended_at: string | null;
}

export interface BankTransfer {
  account_holder: string;
  iban: string | null;
  bic: string | null;
  instructions: string | null;
  amount: {
    /** in minor units */
    amount: number;
    /** ISO 4217 */
    currency: string;
  };
  /** to be named in the transfer */
  reference: string;
  due_at: string;
  /** an EPC QR code as an SVG data URL, which banking apps read; for euros and an IBAN */
  qr_code: string | null;
}

export interface Credits {
  /** in minor units */
  balance: number;
  currency: string;
  /** of the balance: granted, spent first, never refunded to a card */
  promotional: number;
  entries: {
    id: string;
    amount: {
      /** in minor units */
      amount: number;
      /** ISO 4217 */
      currency: string;
    };
    reason: string;
    reference: string | null;
    created_at: string;
  }[];
}

export interface BillingProfile {
  name: string;
  email: string;
  company: string;
  address: string;
  country: string;
  vat_number: string;
  buyer_reference: string;
  vat_state: 'none' | 'unchecked' | 'valid' | 'invalid';
  /** number of the check at VIES */
  vat_consultation: string | null;
  vat_checked_at: string | null;
  /** why staff have exempted the customer from tax */
  tax_exemption: string | null;
}

export interface AdminServer {
  id: string;
  uuid_short: string;
  name: string;
  description: string;
  status: 'offline' | 'starting' | 'running' | 'stopping' | 'installing' | 'install_failed' | 'reinstalling' | 'suspended' | 'transferring' | 'restoring' | 'deleting' | 'unknown';
  suspended: boolean;
  /** MB */
  memory: number;
  /** percent of one core; 0 unlimited */
  cpu: number;
  /** MB; 0 unlimited */
  disk: number;
  limits: {
    memory: number;
    /** MB; -1 unlimited, 0 none */
    swap: number;
    disk: number;
    /** weight from 10 to 1000 */
    io: number;
    cpu: number;
  };
  feature_limits: {
    databases: number;
    backups: number;
    allocations: number;
  };
  is_owner: boolean;
  /** yours on this server */
  permissions: string[];
  node: {
    id: string;
    name: string;
  } | null;
  egg: {
    id: string;
    name: string;
  } | null;
  allocation: {
    id: string;
    ip: string;
    alias: string | null;
    port: number;
  } | null;
  allocations: {
    id: string;
    ip: string;
    alias: string | null;
    port: number;
  }[];
  docker_image: string;
  startup: string;
  variables: ServerVariable[];
  operation: Operation | null;
  install_error: string | null;
  /** of the install script */
  install_exit_code: number | null;
  created_at: string;
  updated_at: string;
  user_id: string;
  node_id: string | null;
  egg_id: string | null;
  external_id: string | null;
  /** the startup command with values */
  invocation: string;
  environment: Record<string, string>;
  /** when the node starts: also a stopped server, only one that ran, or none */
  auto_start: 'always' | 'unless_stopped' | 'never';
  /** TZ of the game; null: the egg's, else the panel's */
  timezone: string | null;
  /** processors of the node that the game may use; null: all */
  threads: string | null;
  /** a game that reaches its memory limit waits instead of being ended */
  oom_disabled: boolean;
  /** seconds between the stop and the kill; null: the egg's, else the panel's */
  stop_grace: number | null;
  /** how the last transfer to another node ended */
  last_transfer: TransferResult | null;
}

export interface TransferResult {
  outcome: 'completed' | 'cancelled' | 'failed';
  source_node_id: string;
  target_node_id: string;
  /** why it failed */
  error: string | null;
  ended_at: string | null;
}

export interface UpdatedServer {
  id: string;
  uuid_short: string;
  name: string;
  description: string;
  status: 'offline' | 'starting' | 'running' | 'stopping' | 'installing' | 'install_failed' | 'reinstalling' | 'suspended' | 'transferring' | 'restoring' | 'deleting' | 'unknown';
  suspended: boolean;
  /** MB */
  memory: number;
  /** percent of one core; 0 unlimited */
  cpu: number;
  /** MB; 0 unlimited */
  disk: number;
  limits: {
    memory: number;
    /** MB; -1 unlimited, 0 none */
    swap: number;
    disk: number;
    /** weight from 10 to 1000 */
    io: number;
    cpu: number;
  };
  feature_limits: {
    databases: number;
    backups: number;
    allocations: number;
  };
  is_owner: boolean;
  /** yours on this server */
  permissions: string[];
  node: {
    id: string;
    name: string;
  } | null;
  egg: {
    id: string;
    name: string;
  } | null;
  allocation: {
    id: string;
    ip: string;
    alias: string | null;
    port: number;
  } | null;
  allocations: {
    id: string;
    ip: string;
    alias: string | null;
    port: number;
  }[];
  docker_image: string;
  startup: string;
  variables: ServerVariable[];
  operation: Operation | null;
  install_error: string | null;
  /** of the install script */
  install_exit_code: number | null;
  created_at: string;
  updated_at: string;
  user_id: string;
  node_id: string | null;
  egg_id: string | null;
  external_id: string | null;
  /** the startup command with values */
  invocation: string;
  environment: Record<string, string>;
  /** when the node starts: also a stopped server, only one that ran, or none */
  auto_start: 'always' | 'unless_stopped' | 'never';
  /** TZ of the game; null: the egg's, else the panel's */
  timezone: string | null;
  /** processors of the node that the game may use; null: all */
  threads: string | null;
  /** a game that reaches its memory limit waits instead of being ended */
  oom_disabled: boolean;
  /** seconds between the stop and the kill; null: the egg's, else the panel's */
  stop_grace: number | null;
  /** how the last transfer to another node ended */
  last_transfer: TransferResult | null;
  /** the running game keeps some of its old settings until it restarts */
  restart_needed: boolean;
}

export interface RetainedBackup {
  id: string;
  name: string;
  status: 'pending' | 'completed' | 'failed';
  /** neither deleted nor rotated away */
  is_locked: boolean;
  storage: 'node' | 's3' | 'restic';
  /** what it takes in its storage; of restic the length of its files */
  bytes: number;
  /** length of the files in it */
  content_bytes: number;
  /** sha256: and hex digits; null until completed */
  checksum: string | null;
  ignored_files: string[];
  error: {
    reason: string;
    message: string;
  } | null;
  created_at: string;
  completed_at: string | null;
  /** last restore, successful or not */
  restored_at: string | null;
  /** why the last restore failed */
  restore_error: string | null;
  /** names of the databases whose dumps are in it */
  databases: string[];
  /** what to look at, like a backup much smaller than the one before; else null */
  warning: string | null;
  server_id: string;
  /** what its server was called */
  server_name: string;
  node_id: string;
  server_deleted_at: string;
  /** when it is removed; null: not by itself */
  expires_at: string | null;
}

export interface AdminUser {
  id: string;
  email: string;
  username: string;
  first_name: string;
  last_name: string;
  /** BCP 47 tag */
  language: string;
  role: {
    id: string;
    name: string;
  };
  two_factor_enabled: boolean;
  created_at: string;
  updated_at: string;
  external_id: string | null;
  last_login_at: string | null;
  /** servers the user owns; null when that could not be learned */
  servers_count: number | null;
}

export interface Node {
  id: string;
  name: string;
  description: string;
  fqdn: string;
  tags: string[];
  runtime: 'docker' | 'process';
  engine: {
    url: string;
    /** whether client certificates are stored */
    tls: boolean;
  };
  /** host:port of the files service on the node */
  files_address: string;
  data_root: string;
  /** identity of the data root, kept on its disk; another one there puts the node offline */
  data_root_id: string | null;
  /** MB */
  memory: number;
  /** percent on top; -1 no limit */
  memory_overallocate: number;
  /** MB */
  disk: number;
  /** percent on top; -1 no limit */
  disk_overallocate: number;
  /** percent of one core; 0 not limited */
  cpu: number;
  maintenance_mode: boolean;
  upload_limit_mb: number;
  /** where customers reach the files of the node without the gateway */
  public_url: string | null;
  /** platforms of images that the node runs beside its own, by emulation */
  emulated_platforms: string[];
  allocated: {
    memory: number;
    disk: number;
    cpu: number;
    servers: number;
  };
  status: 'online' | 'offline' | 'unknown';
  /** why it is offline, or what is wrong with it though it is online */
  status_reason: string | null;
  /** stable word for `status_reason`; more may come */
  problem: string | null;
  last_seen_at: string | null;
  /** of its network interfaces; empty: not known */
  addresses: string[];
  /** containers of this panel that belong to no server; left alone */
  unknown_instances: string[];
  created_at: string;
  updated_at: string;
}

export interface NodeReport {
  /** files of no server that is on this node; at most 1,000 */
  orphan_volumes: OrphanVolume[];
  /** installed servers of this node whose files are not there */
  missing_volumes: {
    id: string;
    name: string;
    node_id: string;
  }[];
  /** server ids of instances of this installation that are of no server */
  orphan_instances: string[];
  /** the database was restored from a dump older than the files: nothing is started or deleted before they are accepted */
  database_is_older: boolean;
}

export interface OrphanVolume {
  server_id: string;
  /** the server of that id, on another node */
  server: {
    id: string;
    name: string;
    node_id: string;
  } | null;
  /** on disk; null: not measured within a few seconds */
  size_bytes: number | null;
}

export interface Allocation {
  id: string;
  ip: string;
  /** what players enter instead */
  alias: string | null;
  port: number;
  assigned: boolean;
  server_id: string | null;
  notes: string | null;
  /** why games may not be able to listen there */
  warning: string | null;
}

export interface DatabaseHost {
  id: string;
  name: string;
  /** mysql is MariaDB and MySQL */
  engine: 'mysql' | 'postgresql';
  host: string;
  port: number;
  username: string;
  /** empty: for servers of all nodes */
  node_ids: string[];
  /** null: not limited */
  max_databases: number | null;
  /** given to databases made from now on; 0 not limited */
  max_connections: number;
  databases_count: number;
  version: string;
  /** whether it answered when it was last compared */
  reachable: boolean;
  error: string | null;
  checked_at: string | null;
  created_at: string;
  updated_at: string;
}

export interface DatabaseHostReport {
  /** named as the panel names its own, and known to it as nothing */
  orphan_databases: string[];
  orphan_users: string[];
  /** known to the panel and not on the host */
  missing_databases: string[];
  /** why the last comparison failed */
  error: string | null;
  checked_at: string | null;
}

export interface Registry {
  id: string;
  /** as image references name it; docker.io for Docker Hub */
  host: string;
  /** null: for all eggs without one of their own */
  egg_id: string | null;
  /** of the stored secret */
  kind: 'password' | 'identity_token';
  /** may be empty with an identity token */
  username: string;
  created_at: string;
  updated_at: string;
}

export interface Nest {
  id: string;
  name: string;
  description: string;
  author: string;
  eggs_count: number;
  created_at: string;
  updated_at: string;
}

export interface Egg {
  id: string;
  nest_id: string;
  /** the egg's own, as in its file */
  uuid: string;
  name: string;
  description: string;
  author: string;
  features: string[];
  /** the default of docker_images, whose order JSON does not keep for all labels */
  docker_image: string;
  /** label to image */
  docker_images: Record<string, string>;
  startup: string;
  /** label to command: what servers can choose among; empty when there is no choice */
  startup_commands: Record<string, string>;
  config: {
    files: Record<string, unknown>;
    startup: {
      done: string[];
      strip_ansi: boolean;
    };
    logs: Record<string, unknown>;
    /** console command, or ^C, or ^SIGNAL */
    stop: string;
    /** seconds between the stop and the kill; null: as the panel is configured */
    stop_grace: number | null;
  };
  script: {
    install: string;
    container: string;
    entrypoint: string;
  };
  file_denylist: string[];
  force_outgoing_ip: boolean;
  variables: {
    name: string;
    description: string;
    env_variable: string;
    default_value: string;
    user_viewable: boolean;
    user_editable: boolean;
    rules: string[];
  }[];
  /** what its file says and the panel does not use, by part of the file; an export writes it back */
  extras: Record<string, unknown>;
  created_at: string;
  updated_at: string;
}

export interface ImportedEgg {
  id: string;
  nest_id: string;
  /** the egg's own, as in its file */
  uuid: string;
  name: string;
  description: string;
  author: string;
  features: string[];
  /** the default of docker_images, whose order JSON does not keep for all labels */
  docker_image: string;
  /** label to image */
  docker_images: Record<string, string>;
  startup: string;
  /** label to command: what servers can choose among; empty when there is no choice */
  startup_commands: Record<string, string>;
  config: {
    files: Record<string, unknown>;
    startup: {
      done: string[];
      strip_ansi: boolean;
    };
    logs: Record<string, unknown>;
    /** console command, or ^C, or ^SIGNAL */
    stop: string;
    /** seconds between the stop and the kill; null: as the panel is configured */
    stop_grace: number | null;
  };
  script: {
    install: string;
    container: string;
    entrypoint: string;
  };
  file_denylist: string[];
  force_outgoing_ip: boolean;
  variables: {
    name: string;
    description: string;
    env_variable: string;
    default_value: string;
    user_viewable: boolean;
    user_editable: boolean;
    rules: string[];
  }[];
  /** what its file says and the panel does not use, by part of the file; an export writes it back */
  extras: Record<string, unknown>;
  created_at: string;
  updated_at: string;
  /** what the import left out or mended */
  warnings: string[];
}

export interface AppliedEgg {
  servers: {
    id: string;
    name: string;
    /** busy: something else is in progress with the server, try again */
    outcome: 'unchanged' | 'changed' | 'busy';
    differences: {
      field: string;
      before: string;
      after: string;
    }[];
  }[];
  /** there are more servers: send it as `after` */
  next_server_id: string | null;
}

export interface BankStatement {
  entries: {
    date: string;
    amount: {
      /** in minor units */
      amount: number;
      /** ISO 4217 */
      currency: string;
    };
    payer: string | null;
    text: string;
    result: 'booked' | 'known' | 'no_invoice' | 'ambiguous' | 'other_currency' | 'credited' | 'partly_paid';
    invoice_ids: string[];
  }[];
}

export interface Coupon {
  id: string;
  code: string;
  type: 'percent' | 'fixed';
  value: number;
  currency: string | null;
  product_ids: string[];
  max_uses: number | null;
  uses: number;
  max_uses_per_user: number | null;
  /** invoices of a service it holds for; null: all */
  recurring: number | null;
  starts_at: string | null;
  expires_at: string | null;
  created_at: string;
}

export interface GiftCode {
  id: string;
  /** in the answer to its creation; else null */
  code: string | null;
  amount: {
    /** in minor units */
    amount: number;
    /** ISO 4217 */
    currency: string;
  };
  /** customers who can redeem it, each once */
  uses: number;
  redeemed: number;
  expires_at: string | null;
  /** customers see it on their credits */
  note: string;
  created_at: string;
}

export interface GiftCodeWithRedemptions {
  id: string;
  /** in the answer to its creation; else null */
  code: string | null;
  amount: {
    /** in minor units */
    amount: number;
    /** ISO 4217 */
    currency: string;
  };
  /** customers who can redeem it, each once */
  uses: number;
  redeemed: number;
  expires_at: string | null;
  /** customers see it on their credits */
  note: string;
  created_at: string;
  /** oldest first */
  redemptions: {
    user_id: string;
    redeemed_at: string;
  }[];
}

export interface Role {
  id: string;
  name: string;
  description: string;
  permissions: string[];
  /** factor on the base rate limits */
  rate_limit_multiplier: number;
  /** exists always and never changes */
  system: boolean;
  users_count: number;
  created_at: string;
  updated_at: string;
}

export interface Settings {
  general: {
    name?: string;
    url?: string;
    locale?: string;
    timezone?: string;
    currency?: string;
    registration?: boolean;
  };
  mail: {
    driver?: 'smtp' | 'log';
    host?: string;
    port?: number;
    encryption?: 'none' | 'starttls' | 'tls';
    username?: string;
    /** reads "********"; writing that back keeps it */
    password?: string;
    from_address?: string;
    from_name?: string;
  };
  security: {
    require_2fa?: 'none' | 'admins' | 'all';
    sessions_per_user?: number;
  };
  billing: {
    /** percent */
    tax_rate?: number;
    tax_inclusive?: boolean;
    invoice_days_before?: number;
    price_change_days?: number;
    suspend_days?: number;
    terminate_days?: number;
    invoice_prefix?: string;
    /** percent by country, like DE=19,FR=20; from a day on like EE=24@2025-07-01 */
    tax_rates?: string;
    payment_days?: number;
    reminder_days?: number;
    seller_name?: string;
    seller_address?: string;
    seller_vat_number?: string;
    bank_account_holder?: string;
    /** for transfers; spaces are removed */
    bank_iban?: string;
    bank_bic?: string;
    /** what else a transfer needs */
    bank_instructions?: string;
    tax_scheme?: 'none' | 'fixed' | 'eu';
    /** ISO 3166-1 alpha-2 */
    seller_country?: string;
    /** further ones, separated by commas */
    seller_vat_numbers?: string;
    /** consumers in the EU pay the rate of their country */
    oss?: boolean;
    vat_check?: 'off' | 'accept' | 'tax';
    /** PDFs of invoices hold the invoice as XML; needs the seller_ settings */
    e_invoice?: boolean;
    seller_postcode?: string;
    seller_city?: string;
    /** of the tax office, without a VAT number */
    seller_tax_number?: string;
    /** whom buyers ask; for XRechnung, as the next two */
    seller_contact?: string;
    seller_phone?: string;
    seller_email?: string;
    /** 0: none */
    datev_consultant?: number;
    /** 0: none */
    datev_client?: number;
    /** in which the fiscal year begins */
    datev_fiscal_month?: number;
    datev_account_digits?: number;
    /** by account of the journal, like cash=1360,cash:manual=1200,tax:DE:1900=1776 */
    datev_accounts?: string;
  };
  servers: {
    default_memory?: number;
    default_disk?: number;
    default_cpu?: number;
    /** lines a socket gets on connect */
    console_history?: number;
  };
  brand: {
    /** empty: the name of the panel */
    name?: string;
    /** a PNG, WebP or JPEG of at most 256 KiB as a data URL; empty for none */
    logo?: string;
    /** like #1a2b3c; empty for the console's own */
    primary_colour?: string;
    /** like #1a2b3c; empty for the console's own */
    accent_colour?: string;
  };
}

export interface TestClock {
  now: string;
  /** how far it is ahead of real time */
  offset_seconds: number;
  /** where the move ends; null: none goes on */
  target: string | null;
  /** no move goes on, and all processes have run what is due */
  settled: boolean;
  /** names of the services that have not settled */
  waiting_for: string[];
}

export interface Overview {
  servers: {
    total: number;
    by_status: {
      running: number;
      starting: number;
      stopping: number;
      offline: number;
      installing: number;
      install_failed: number;
      suspended: number;
    };
  };
  /** null without users.view */
  users: {
    total: number;
  } | null;
  /** by name; null without nodes.view */
  nodes: {
    id: string;
    name: string;
    status: 'online' | 'offline' | 'unknown';
    maintenance_mode: boolean;
    servers: number;
    /** MB */
    memory: number;
    /** MB promised to servers */
    memory_allocated: number;
    /** MB */
    disk: number;
    /** MB promised to servers */
    disk_allocated: number;
  }[] | null;
}

export type ConsoleMessage = {
  type: 'console_output';
  /** one line */
  message: string;
  at: string;
  /** number of the line; null for a notice of the panel, a partial and a redrawn line */
  seq: number | null;
  /** a line without an end yet; the next with a `seq` is the rest of it */
  partial?: true;
  /** what a progress bar shows now: in the place of the last one, until the next line of the game */
  redrawn?: true;
} | {
  type: 'stats';
  state: 'offline' | 'starting' | 'running' | 'stopping';
  suspended: boolean;
  /** milliseconds since the game started */
  uptime: number;
  /** percent; 100 is one core */
  cpu: number;
  cpu_absolute: number;
  /** bytes */
  memory: number;
  memory_bytes: number;
  memory_limit_bytes: number;
  /** bytes */
  disk: number;
  disk_bytes: number;
  network: {
    rx_bytes: number;
    tx_bytes: number;
  };
  observed_at: string | null;
} | {
  type: 'status';
  status: 'offline' | 'starting' | 'running' | 'stopping';
} | {
  type: 'install_output';
  message: string;
  step?: string;
} | {
  type: 'operation';
  /** null: the operation has ended */
  kind: 'installing' | 'reinstalling' | 'transferring' | 'restoring' | 'deleting' | 'backing_up' | null;
  step: string | null;
  /** 0 to 100 */
  progress: number | null;
} | {
  /** the game asks for something: POST …/features does it */
  type: 'feature';
  feature: 'eula' | 'java_version' | 'steam_disk_space' | 'gsl_token' | 'pid_limit';
  /** what the game wrote */
  line: string;
  /** of java_version: the image of the egg that fits */
  docker_image: string | null;
  /** of java_version: what the game needs */
  java_version: number | null;
} | {
  /** what the game requested is done */
  type: 'feature_resolved';
  feature: 'eula' | 'java_version' | 'steam_disk_space' | 'gsl_token' | 'pid_limit';
} | {
  type: 'error';
  code: string;
  message: string;
  details: Record<string, unknown>;
  /** of a validation error: by field, as details */
  reasons?: Record<string, string[]>;
  /** of the message that is answered; null when it had none */
  ref: string | null;
} | {
  type: 'authenticated';
  /** when the new token expires */
  expires_at: string | null;
  /** of the message that is answered; null when it had none */
  ref: string | null;
} | {
  /** answers a command or power action that had a `ref` */
  type: 'accepted';
  /** of a power action; null for a command */
  operation_id: string | null;
  ref: string;
} | {
  type: 'token_expiring';
  expires_at: string;
};

export type ConsoleRequest = {
  type: 'command';
  /** one line */
  command: string;
  /** echoed in the response to this message */
  ref?: string;
} | {
  type: 'power';
  action: 'start' | 'stop' | 'restart' | 'kill';
  /** echoed in the response to this message */
  ref?: string;
} | {
  type: 'auth';
  /** a new access token of the same user; replaces the current one */
  token: string;
  /** echoed in the response to this message */
  ref?: string;
};

export type ErrorCode = 'bad_request' | 'unauthorized' | 'forbidden' | 'not_found' | 'conflict' | 'server_locked' | 'server_offline' | 'validation_error' | 'rate_limit_exceeded' | 'internal_error' | 'service_unavailable' | (string & {});

export interface Error {
  error: {
    code: ErrorCode;
    message: string;
    /** Of a validation error: a stable reason for each message of `details`. */
    reasons?: Record<string, string[]>;
    /** Facts, with `reason` where there is one; of a validation error, messages by field; of a 429, `limit` and `retry_after`. */
    details: Record<string, unknown>;
  };
}

export interface Meta {
  current_page: number;
  per_page: number;
  total: number;
  total_pages: number;
}

/** Every endpoint, with what it takes and answers. */
export interface Endpoints {
  /** Exchange e-mail and password for a token set, or for a two-factor challenge */
  'POST /auth/login': {
    body: {
      email: string;
      password: string;
    };
    one: TokenSet | TwoFactorChallenge;
  };
  /** Exchange a refresh token for a new token set; it works once */
  'POST /auth/refresh': {
    body: {
      refresh_token: string;
    };
    one: TokenSet;
  };
  /** Answer a two-factor challenge */
  'POST /auth/2fa/verify': {
    body: {
      token: string;
      code?: string;
      /** instead of `code` */
      recovery_code?: string;
    };
    one: TokenSet;
  };
  /** Mail a link to choose a new password with; the answer is the same for every address */
  'POST /auth/password/forgot': {
    body: {
      email: string;
    };
    one: Accepted;
  };
  /** Choose a new password with the token of such a mail; all sessions end */
  'POST /auth/password/reset': {
    body: {
      token: string;
      password: string;
    };
    one: Accepted;
  };
  /** End the session of this token */
  'POST /auth/logout': {
    empty: true;
  };
  /** Name, logo and colours of this panel */
  'GET /brand': {
    one: Brand;
  };
  /** The logo of this panel */
  'GET /brand/logo': {
    query?: {
      /** of the address in `logo` */
      v?: string;
    };
    raw: 'image/png' | 'image/webp' | 'image/jpeg';
  };
  /** Sign a page of the panel in; the refresh token goes into a cookie */
  'POST /browser/login': {
    body: {
      email: string;
      password: string;
    };
    one: BrowserSession | TwoFactorChallenge;
  };
  /** Answer the two-factor challenge of such a sign-in */
  'POST /browser/2fa': {
    body: {
      token: string;
      code?: string;
      /** instead of `code` */
      recovery_code?: string;
    };
    one: BrowserSession;
  };
  /** Exchange the cookie for a new access token and a new cookie */
  'POST /browser/refresh': {
    one: BrowserSession;
  };
  /** End the session of the cookie and remove it */
  'POST /browser/logout': {
    empty: true;
  };
  /** Your servers */
  'GET /servers': {
    query?: {
      /** page number, from 1 */
      page?: number;
      /** items per page */
      per_page?: number;
      /** literal, case-insensitive part of the name */
      search?: string;
      /** created_at, name, status, memory, cpu, disk; several with commas between them, a leading - for descending */
      sort?: string;
      /** only servers in this status */
      status?: 'offline' | 'starting' | 'running' | 'stopping' | 'installing' | 'install_failed' | 'reinstalling' | 'suspended' | 'transferring' | 'restoring' | 'deleting' | 'unknown';
      /** "resources": with the usage of each */
      include?: 'resources';
    };
    list: ListedServer;
  };
  /** One server */
  'GET /servers/{id}': {
    one: Server;
  };
  /** Change name and description */
  'PUT /servers/{id}': {
    body?: {
      name?: string;
      description?: string;
    };
    one: Server;
  };
  /** Usage at this moment */
  'GET /servers/{id}/resources': {
    one: Resources;
  };
  /** Start, stop, restart or kill; the outcome shows in the status */
  'POST /servers/{id}/power': {
    body: {
      action: 'start' | 'stop' | 'restart' | 'kill';
    };
    one: {
      action: 'start' | 'stop' | 'restart' | 'kill';
      accepted: true;
      operation_id: string;
    };
  };
  /** What became of one of the last 20 power actions */
  'GET /servers/{id}/power/{operation-id}': {
    one: PowerOperation;
  };
  /** What became of an operation: of the last 20 power actions, the last 20 others, archives and downloads */
  'GET /servers/{id}/operations/{operation-id}': {
    one: ServerOperation;
  };
  /** Write one line to the game's console */
  'POST /servers/{id}/command': {
    body: {
      command: string;
    };
    one: {
      accepted: true;
    };
  };
  /** How the server is started: command, image, variables */
  'GET /servers/{id}/startup': {
    one: Startup;
  };
  /** Change variables, or the image or command to another of the egg; they hold from the next start */
  'PUT /servers/{id}/startup': {
    body?: {
      environment?: Record<string, string>;
      docker_image?: string;
      /** label of one of those offered */
      startup_command?: string | null;
    };
    one: Startup;
  };
  /** Do what the game asked for by a feature of its egg: agree to an EULA, use another image or token */
  'POST /servers/{id}/features': {
    body: {
      feature: 'eula' | 'java_version' | 'steam_disk_space' | 'gsl_token' | 'pid_limit';
      /** of java_version: one of the images of the egg */
      docker_image?: string;
      /** of java_version: choose the image that fits */
      java_version?: number;
      /** of gsl_token */
      token?: string;
      /** restart the server */
      restart?: boolean;
    };
    one: ResolvedFeature;
  };
  /** Run the install script again over the files */
  'POST /servers/{id}/reinstall': {
    one: Server;
  };
  /** What the last installation printed; its last 1000 lines */
  'GET /servers/{id}/install-log': {
    query?: {
      /** page number, from 1 */
      page?: number;
      /** items per page */
      per_page?: number;
      /** literal, case-insensitive part of the name */
      search?: string;
      /** at, step; several with commas between them, a leading - for descending */
      sort?: string;
    };
    list: {
      message: string;
      step: string;
      at: string | null;
    };
  };
  /** Addresses of the server */
  'GET /servers/{id}/allocations': {
    query?: {
      /** page number, from 1 */
      page?: number;
      /** items per page */
      per_page?: number;
      /** literal, case-insensitive part of the name */
      search?: string;
      /** ip, port, alias, notes; several with commas between them, a leading - for descending */
      sort?: string;
    };
    list: ServerAllocation;
  };
  /** Take another free address of the node */
  'POST /servers/{id}/allocations': {
    creates: true;
    one: ServerAllocation;
  };
  /** Change the notes of an address, or make it the primary one */
  'PUT /servers/{id}/allocations/{allocation-id}': {
    body?: {
      notes?: string | null;
      /** make it the primary one, from the next start */
      is_primary?: true;
    };
    one: ServerAllocation;
  };
  /** Give an address back; not the primary one */
  'DELETE /servers/{id}/allocations/{allocation-id}': {
    empty: true;
  };
  /** Lines of the console before a known one */
  'GET /servers/{id}/console': {
    query?: {
      /** a `seq`; the newest lines without it */
      before?: number;
      /** 200 without it */
      limit?: number;
      /** true: the one line before `before`, cut at 1 MiB instead of 8 KiB */
      whole?: 'true' | 'false';
    };
    one: ConsoleLines;
  };
  /** Usage over time: CPU, memory, disk and network */
  'GET /servers/{id}/metrics': {
    query?: {
      /** an hour before `to` without it */
      from?: string;
      /** now without it */
      to?: string;
      /** seconds; the finest that still holds the range without it */
      step?: '10' | '60' | '900';
    };
    one: Metrics;
  };
  /** What was done with the server, newest first */
  'GET /servers/{id}/activity': {
    query?: {
      /** page number, from 1 */
      page?: number;
      /** items per page */
      per_page?: number;
      /** literal, case-insensitive part of the name */
      search?: string;
      /** created_at; several with commas between them, a leading - for descending */
      sort?: string;
    };
    list: ActivityEvent;
  };
  /** Entries of a directory, directories first */
  'GET /servers/{id}/files/list': {
    query?: {
      /** page number, from 1 */
      page?: number;
      /** items per page */
      per_page?: number;
      /** literal, case-insensitive part of the name */
      search?: string;
      /** name, size, modified_at, mimetype; several with commas between them, a leading - for descending */
      sort?: string;
      /** absolute path inside the server */
      directory?: string;
    };
    list: FileEntry;
    notes: {
      /** there are more entries than can be shown */
      truncated: boolean;
    };
  };
  /** A file: up to 4 MiB as JSON; any size as bytes, with ranges */
  'GET /servers/{id}/files/contents': {
    query: {
      /** absolute path inside the server */
      path: string;
    };
    one: FileContents;
    raw: 'application/octet-stream' | 'text/plain';
  };
  /** Write a file, whole or not at all: as JSON, or as bytes with ?path= */
  'PUT /servers/{id}/files/write': {
    query?: {
      /** where to; for a body of bytes */
      path?: string;
    };
    body: {
      path: string;
      content: string;
      encoding?: 'utf-8' | 'base64';
    };
    bytes: 'application/octet-stream';
    one: WrittenFile;
  };
  /** Make a directory */
  'POST /servers/{id}/files/create-directory': {
    body: {
      path: string;
    };
    creates: true;
    one: FileEntry;
  };
  /** Rename or move; nothing is overwritten */
  'POST /servers/{id}/files/rename': {
    body?: {
      /** what the paths are relative to */
      root?: string;
      files?: {
        from: string;
        to: string;
      }[];
      /** instead of `files`, together with `to`: one file */
      from?: string;
      /** instead of `files`, together with `from` */
      to?: string;
    };
    one: {
      /** how many it was */
      files: number;
    };
  };
  /** Copy a file; nothing is overwritten */
  'POST /servers/{id}/files/copy': {
    body: {
      path: string;
      /** without it "name copy.ext" beside it */
      to?: string;
    };
    creates: true;
    one: {
      name: string;
      /** as in ls -l */
      mode: string;
      /** octal */
      mode_bits: string;
      /** bytes */
      size: number;
      is_file: boolean;
      is_symlink: boolean;
      mimetype: string;
      created_at: string | null;
      modified_at: string | null;
      path: string;
    };
  };
  /** Delete files, and directories with all their content */
  'POST /servers/{id}/files/delete': {
    body: {
      /** what the paths are relative to */
      root?: string;
      files: string[];
    };
    one: {
      /** how many it was */
      files: number;
    };
  };
  /** Pack files into an archive; running when it takes longer than 5 s */
  'POST /servers/{id}/files/compress': {
    body: {
      /** what the paths are relative to */
      root?: string;
      files: string[];
      /** below root; .zip, .tar, .tar.gz, .tgz, .tar.bz2, .tar.xz or .tar.zst; without it archive-<time>.tar.gz */
      name?: string;
    };
    creates: true;
    one: FileOperation;
  };
  /** Extract an archive; running when it takes longer than 5 s */
  'POST /servers/{id}/files/decompress': {
    body: {
      /** zip, tar, tar.gz, tar.bz2, tar.xz, tar.zst, 7z or rar, by its content */
      path: string;
      /** directory to extract into; without it that of the archive */
      root?: string;
      /** replace existing files */
      overwrite?: boolean;
    };
    creates: true;
    one: FileOperation;
  };
  /** Download a URL into a file; running when it takes longer than 5 s */
  'POST /servers/{id}/files/pull': {
    body: {
      /** http or https; private addresses are refused */
      url: string;
      directory?: string;
      /** without it the last part of the URL */
      name?: string;
    };
    creates: true;
    one: FileOperation;
  };
  /** Archives and downloads of the last day, newest first */
  'GET /servers/{id}/files/operations': {
    query?: {
      /** page number, from 1 */
      page?: number;
      /** items per page */
      per_page?: number;
      /** literal, case-insensitive part of the name */
      search?: string;
      /** started_at, ended_at, kind, status, path; several with commas between them, a leading - for descending */
      sort?: string;
    };
    list: FileOperation;
  };
  /** One archive or download, with its progress */
  'GET /servers/{id}/files/operations/{operation-id}': {
    one: FileOperation;
  };
  /** Abort a running archive or download, which then leaves nothing */
  'POST /servers/{id}/files/operations/{operation-id}/cancel': {
    one: FileOperation;
  };
  /** Set the permission bits of files and directories */
  'POST /servers/{id}/files/chmod': {
    body: {
      /** what the paths are relative to */
      root?: string;
      files: {
        file: string;
        /** octal */
        mode: string;
      }[];
    };
    one: {
      /** how many it was */
      files: number;
    };
  };
  /** Files and directories by name, and by the text in them */
  'GET /servers/{id}/files/search': {
    query?: {
      /** page number, from 1 */
      page?: number;
      /** items per page */
      per_page?: number;
      /** literal, case-insensitive part of the name */
      search?: string;
      /** path, name, size, modified_at; several with commas between them, a leading - for descending */
      sort?: string;
      /** where to search, with everything below */
      directory?: string;
      /** part of the name, or a pattern with * and ?; case-insensitive */
      name?: string;
      /** literal text in files up to 4 MiB; case-insensitive */
      content?: string;
      /** matches at most */
      limit?: number;
    };
    list: FileMatch;
    notes: {
      /** everything was searched; false when a bound was reached first */
      complete: boolean;
      entries_searched: number;
    };
  };
  /** Deleted files and directories that can be restored, newest first */
  'GET /servers/{id}/files/trash': {
    query?: {
      /** page number, from 1 */
      page?: number;
      /** items per page */
      per_page?: number;
      /** literal, case-insensitive part of the name */
      search?: string;
      /** deleted_at, expires_at, path, size; several with commas between them, a leading - for descending */
      sort?: string;
    };
    list: TrashEntry;
  };
  /** Free all deleted files of the server */
  'DELETE /servers/{id}/files/trash': {
    empty: true;
  };
  /** Move a deleted entry back to where it was, or elsewhere */
  'POST /servers/{id}/files/trash/{trash-id}/restore': {
    body?: {
      /** without it where it was */
      to?: string;
    };
    one: {
      path: string;
    };
  };
  /** Earlier contents of a text file, newest first */
  'GET /servers/{id}/files/versions': {
    query?: {
      /** page number, from 1 */
      page?: number;
      /** items per page */
      per_page?: number;
      /** literal, case-insensitive part of the name */
      search?: string;
      /** saved_at, size; several with commas between them, a leading - for descending */
      sort?: string;
      /** absolute path inside the server */
      path?: string;
    };
    list: FileVersion;
  };
  /** An earlier content of a text file */
  'GET /servers/{id}/files/versions/{version-id}': {
    one: FileContents;
  };
  /** Write an earlier content back; the current one becomes a version */
  'POST /servers/{id}/files/versions/{version-id}/restore': {
    one: WrittenFile;
  };
  /** A link for one download of a file, or of a directory as a tar.gz */
  'GET /servers/{id}/files/download': {
    query: {
      /** absolute path inside the server */
      path: string;
    };
    one: DownloadLink;
  };
  /** The download of a link, with ranges for a file */
  'GET /downloads/{id}/{link-id}': {
    raw: 'application/octet-stream' | 'application/gzip';
  };
  /** Unfinished resumable uploads, newest first */
  'GET /servers/{id}/files/uploads': {
    query?: {
      /** page number, from 1 */
      page?: number;
      /** items per page */
      per_page?: number;
      /** literal, case-insensitive part of the name */
      search?: string;
      /** created_at, expires_at, path, size, offset; several with commas between them, a leading - for descending */
      sort?: string;
    };
    list: Upload;
  };
  /** Begin a resumable upload (tus): its address is in Location */
  'POST /servers/{id}/files/uploads': {
    query?: {
      /** replace a file that is there; needs the right to change files, for every request of the upload */
      overwrite?: 'true' | 'false';
      /** what `filename` of the metadata is in */
      directory?: string;
    };
    bytes: 'application/offset+octet-stream';
    one: Upload;
  };
  /** How much of a resumable upload has arrived (tus: HEAD) */
  'GET /servers/{id}/files/uploads/{upload-id}': {
    query?: {
      /** replace a file that is there; needs the right to change files, for every request of the upload */
      overwrite?: 'true' | 'false';
    };
    one: Upload;
  };
  /** The next piece of a resumable upload (tus); the last one puts the file in its place */
  'PATCH /servers/{id}/files/uploads/{upload-id}': {
    query?: {
      /** replace a file that is there; needs the right to change files, for every request of the upload */
      overwrite?: 'true' | 'false';
    };
    bytes: 'application/offset+octet-stream';
    empty: true;
  };
  /** End a resumable upload (tus); what has arrived is removed */
  'DELETE /servers/{id}/files/uploads/{upload-id}': {
    query?: {
      /** replace a file that is there; needs the right to change files, for every request of the upload */
      overwrite?: 'true' | 'false';
    };
    empty: true;
  };
  /** Databases of the server */
  'GET /servers/{id}/databases': {
    query?: {
      /** page number, from 1 */
      page?: number;
      /** items per page */
      per_page?: number;
      /** literal, case-insensitive part of the name */
      search?: string;
      /** created_at, name, size_bytes; several with commas between them, a leading - for descending */
      sort?: string;
    };
    list: Database;
  };
  /** Create a database; the only answer with its password */
  'POST /servers/{id}/databases': {
    body: {
      name: string;
      /** %, an address, 10.0.0.%, 10.0.0.0/255.255.255.0 or a host name */
      remote?: string;
      /** mysql where there is such a host unless given */
      engine?: 'mysql' | 'postgresql';
    };
    creates: true;
    one: Database;
  };
  /** Drop a database */
  'DELETE /servers/{id}/databases/{db-id}': {
    empty: true;
  };
  /** Give a database a new password; also needs database.view_password */
  'POST /servers/{id}/databases/{db-id}/rotate-password': {
    one: Database;
  };
  /** A dump of a database, streamed */
  'GET /servers/{id}/databases/{db-id}/export': {
    raw: 'application/sql' | 'application/octet-stream';
  };
  /** Run a dump against a database, as its own user */
  'POST /servers/{id}/databases/{db-id}/import': {
    body: {
      /** the dump; larger ones go as application/octet-stream */
      content: string;
      encoding?: 'utf-8' | 'base64';
    };
    bytes: 'application/octet-stream';
    one: Database;
  };
  /** Backups of the server, newest first */
  'GET /servers/{id}/backups': {
    query?: {
      /** page number, from 1 */
      page?: number;
      /** items per page */
      per_page?: number;
      /** literal, case-insensitive part of the name */
      search?: string;
      /** created_at, name, status, bytes; several with commas between them, a leading - for descending */
      sort?: string;
      /** only backups in this status */
      status?: 'pending' | 'completed' | 'failed';
    };
    list: Backup;
  };
  /** Begin a backup; it is pending at first */
  'POST /servers/{id}/backups': {
    body?: {
      /** without one it is named by its time */
      name?: string;
      /** patterns as in .gitignore; without any those of the file .panelignore, else .pteroignore */
      ignored_files?: string[];
      /** with a dump of each database; needs database.view_password, too */
      databases?: boolean;
      /** replace the oldest unlocked backup when the limit is reached */
      rotate?: boolean;
    };
    creates: true;
    one: Backup;
  };
  /** One backup */
  'GET /servers/{id}/backups/{backup-id}': {
    one: Backup;
  };
  /** Delete a backup; a pending one is aborted */
  'DELETE /servers/{id}/backups/{backup-id}': {
    empty: true;
  };
  /** Download a backup as a gzipped tar; ranges where it is stored as one */
  'GET /servers/{id}/backups/{backup-id}/download': {
    raw: 'application/gzip';
  };
  /** What is in a directory of a backup, directories first */
  'GET /servers/{id}/backups/{backup-id}/files': {
    query?: {
      /** page number, from 1 */
      page?: number;
      /** items per page */
      per_page?: number;
      /** literal, case-insensitive part of the name */
      search?: string;
      /** name, size, modified_at; several with commas between them, a leading - for descending */
      sort?: string;
      /** directory inside the backup */
      path?: string;
    };
    list: BackupFile;
    notes: {
      /** there are more than 10,000 */
      truncated: boolean;
    };
  };
  /** Put a backup back, all of it or some paths; the server has to be offline */
  'POST /servers/{id}/backups/{backup-id}/restore': {
    body?: {
      /** import its dumps of databases; needs database.update and database.view_password, too */
      databases?: boolean;
      /** remove everything that is not in the backup */
      truncate?: boolean;
      /** only these files and directories; without any everything */
      paths?: string[];
    };
    one: {
      operation_id: string;
    };
  };
  /** Lock or unlock a backup */
  'POST /servers/{id}/backups/{backup-id}/lock': {
    body?: {
      /** without it the lock is turned */
      is_locked?: boolean;
    };
    one: Backup;
  };
  /** Schedules of the server */
  'GET /servers/{id}/schedules': {
    query?: {
      /** page number, from 1 */
      page?: number;
      /** items per page */
      per_page?: number;
      /** literal, case-insensitive part of the name */
      search?: string;
      /** created_at, name, next_run_at, last_run_at; several with commas between them, a leading - for descending */
      sort?: string;
    };
    list: Schedule;
  };
  /** Create a schedule */
  'POST /servers/{id}/schedules': {
    body: {
      name: string;
      cron?: {
        minute?: string;
        hour?: string;
        day_of_month?: string;
        month?: string;
        day_of_week?: string;
      };
      /** instead of `cron` */
      minute?: string;
      /** instead of `cron` */
      hour?: string;
      /** instead of `cron` */
      day_of_month?: string;
      /** instead of `cron` */
      month?: string;
      /** instead of `cron` */
      day_of_week?: string;
      /** IANA name; UTC unless given */
      timezone?: string;
      is_active?: boolean;
      only_when_online?: boolean;
      trigger?: {
        kind: 'cron' | 'server_started' | 'server_crashed' | 'players_empty' | 'backup_failed' | 'webhook';
        /** for players_empty; 10 unless given */
        empty_minutes?: number | null;
        /** for players_empty: part of the console line of a player who joins, or a regular expression after regex: */
        join_pattern?: string | null;
        leave_pattern?: string | null;
      };
      /** the whole list */
      tasks?: {
        /** of the task to keep */
        id?: string;
        /** the place in the list; the list decides */
        sequence?: number;
        action: 'command' | 'power' | 'backup';
        /** console line; start, stop, restart or kill; ignored files, one a line */
        payload?: string;
        /** seconds after the task before */
        time_offset?: number;
        continue_on_failure?: boolean;
      }[];
    };
    creates: true;
    one: Schedule;
  };
  /** One schedule with its last runs */
  'GET /servers/{id}/schedules/{schedule-id}': {
    one: Schedule;
  };
  /** Change a schedule; tasks are replaced as a whole list */
  'PUT /servers/{id}/schedules/{schedule-id}': {
    body?: {
      name?: string;
      cron?: {
        minute?: string;
        hour?: string;
        day_of_month?: string;
        month?: string;
        day_of_week?: string;
      };
      /** instead of `cron` */
      minute?: string;
      /** instead of `cron` */
      hour?: string;
      /** instead of `cron` */
      day_of_month?: string;
      /** instead of `cron` */
      month?: string;
      /** instead of `cron` */
      day_of_week?: string;
      /** IANA name; UTC unless given */
      timezone?: string;
      is_active?: boolean;
      only_when_online?: boolean;
      trigger?: {
        kind: 'cron' | 'server_started' | 'server_crashed' | 'players_empty' | 'backup_failed' | 'webhook';
        /** for players_empty; 10 unless given */
        empty_minutes?: number | null;
        /** for players_empty: part of the console line of a player who joins, or a regular expression after regex: */
        join_pattern?: string | null;
        leave_pattern?: string | null;
      };
      /** the whole list */
      tasks?: {
        /** of the task to keep */
        id?: string;
        /** the place in the list; the list decides */
        sequence?: number;
        action: 'command' | 'power' | 'backup';
        /** console line; start, stop, restart or kill; ignored files, one a line */
        payload?: string;
        /** seconds after the task before */
        time_offset?: number;
        continue_on_failure?: boolean;
      }[];
    };
    one: Schedule;
  };
  /** Delete a schedule */
  'DELETE /servers/{id}/schedules/{schedule-id}': {
    empty: true;
  };
  /** Run a schedule now */
  'POST /servers/{id}/schedules/{schedule-id}/execute': {
    one: Schedule;
  };
  /** End the run in progress, after its current task */
  'POST /servers/{id}/schedules/{schedule-id}/cancel': {
    one: Schedule;
  };
  /** Replace the web address that runs a schedule */
  'POST /servers/{id}/schedules/{schedule-id}/rotate-webhook': {
    one: Schedule;
  };
  /** Run a schedule by its web address; the answer is the same for a wrong one */
  'POST /hooks/schedules/{schedule-id}': {
    query: {
      /** as in webhook_url */
      signature: string;
    };
    one: {
      accepted: true;
    };
  };
  /** Users with access to the server, and who is invited */
  'GET /servers/{id}/subusers': {
    query?: {
      /** page number, from 1 */
      page?: number;
      /** items per page */
      per_page?: number;
      /** literal, case-insensitive part of the name */
      search?: string;
      /** created_at, status; several with commas between them, a leading - for descending */
      sort?: string;
      /** only these */
      status?: 'active' | 'invited';
    };
    list: Subuser;
  };
  /** Give a user access, or invite an address that has no account yet */
  'POST /servers/{id}/subusers': {
    body: {
      email: string;
      /** instead of `role` */
      permissions?: ('websocket.connect' | 'control.console' | 'control.start' | 'control.stop' | 'control.restart' | 'user.create' | 'user.read' | 'user.update' | 'user.delete' | 'file.create' | 'file.read' | 'file.read-content' | 'file.update' | 'file.delete' | 'file.archive' | 'file.sftp' | 'backup.create' | 'backup.read' | 'backup.delete' | 'backup.download' | 'backup.restore' | 'allocation.read' | 'allocation.create' | 'allocation.update' | 'allocation.delete' | 'startup.read' | 'startup.update' | 'startup.docker-image' | 'database.create' | 'database.read' | 'database.update' | 'database.delete' | 'database.view_password' | 'schedule.create' | 'schedule.read' | 'schedule.update' | 'schedule.delete' | 'settings.rename' | 'settings.reinstall' | 'activity.read')[];
      /** id of a role: `viewer`, `operator`, `developer`, or one of the server; or the role as it was read, whose name does not count; instead of `permissions` */
      role?: string | {
        id: string;
        name?: string;
      } | null;
      /** the last one that matches decides; without one: allow */
      path_rules?: PathRule[];
      /** when the access ends by itself; null: never */
      expires_at?: string | null;
    };
    creates: true;
    one: Subuser;
  };
  /** Change what a subuser may do; it holds from their next request */
  'PUT /servers/{id}/subusers/{subuser-id}': {
    body?: {
      /** instead of `role` */
      permissions?: ('websocket.connect' | 'control.console' | 'control.start' | 'control.stop' | 'control.restart' | 'user.create' | 'user.read' | 'user.update' | 'user.delete' | 'file.create' | 'file.read' | 'file.read-content' | 'file.update' | 'file.delete' | 'file.archive' | 'file.sftp' | 'backup.create' | 'backup.read' | 'backup.delete' | 'backup.download' | 'backup.restore' | 'allocation.read' | 'allocation.create' | 'allocation.update' | 'allocation.delete' | 'startup.read' | 'startup.update' | 'startup.docker-image' | 'database.create' | 'database.read' | 'database.update' | 'database.delete' | 'database.view_password' | 'schedule.create' | 'schedule.read' | 'schedule.update' | 'schedule.delete' | 'settings.rename' | 'settings.reinstall' | 'activity.read')[];
      /** id of a role: `viewer`, `operator`, `developer`, or one of the server; or the role as it was read, whose name does not count; instead of `permissions` */
      role?: string | {
        id: string;
        name?: string;
      } | null;
      /** the last one that matches decides; without one: allow */
      path_rules?: PathRule[];
      /** when the access ends by itself; null: never */
      expires_at?: string | null;
    };
    one: Subuser;
  };
  /** Take access, or an invitation, away; `?with_invited=true` also from whom they have given access */
  'DELETE /servers/{id}/subusers/{subuser-id}': {
    query?: {
      /** also whom they have given access, and whom those have */
      with_invited?: 'true' | 'false';
    };
    empty: true;
  };
  /** Leave a server that was shared with you */
  'DELETE /servers/{id}/access': {
    empty: true;
  };
  /** Roles that subusers of the server can have */
  'GET /servers/{id}/subuser-roles': {
    query?: {
      /** page number, from 1 */
      page?: number;
      /** items per page */
      per_page?: number;
      /** literal, case-insensitive part of the name */
      search?: string;
      /** name; several with commas between them, a leading - for descending */
      sort?: string;
    };
    list: SubuserRole;
  };
  /** Add a role */
  'POST /servers/{id}/subuser-roles': {
    body: {
      name: string;
      permissions: ('websocket.connect' | 'control.console' | 'control.start' | 'control.stop' | 'control.restart' | 'user.create' | 'user.read' | 'user.update' | 'user.delete' | 'file.create' | 'file.read' | 'file.read-content' | 'file.update' | 'file.delete' | 'file.archive' | 'file.sftp' | 'backup.create' | 'backup.read' | 'backup.delete' | 'backup.download' | 'backup.restore' | 'allocation.read' | 'allocation.create' | 'allocation.update' | 'allocation.delete' | 'startup.read' | 'startup.update' | 'startup.docker-image' | 'database.create' | 'database.read' | 'database.update' | 'database.delete' | 'database.view_password' | 'schedule.create' | 'schedule.read' | 'schedule.update' | 'schedule.delete' | 'settings.rename' | 'settings.reinstall' | 'activity.read')[];
    };
    creates: true;
    one: SubuserRole;
  };
  /** Change a role, and what every subuser with it may do */
  'PUT /servers/{id}/subuser-roles/{role-id}': {
    body?: {
      name?: string;
      permissions?: ('websocket.connect' | 'control.console' | 'control.start' | 'control.stop' | 'control.restart' | 'user.create' | 'user.read' | 'user.update' | 'user.delete' | 'file.create' | 'file.read' | 'file.read-content' | 'file.update' | 'file.delete' | 'file.archive' | 'file.sftp' | 'backup.create' | 'backup.read' | 'backup.delete' | 'backup.download' | 'backup.restore' | 'allocation.read' | 'allocation.create' | 'allocation.update' | 'allocation.delete' | 'startup.read' | 'startup.update' | 'startup.docker-image' | 'database.create' | 'database.read' | 'database.update' | 'database.delete' | 'database.view_password' | 'schedule.create' | 'schedule.read' | 'schedule.update' | 'schedule.delete' | 'settings.rename' | 'settings.reinstall' | 'activity.read')[];
    };
    one: SubuserRole;
  };
  /** Delete a role that no subuser has */
  'DELETE /servers/{id}/subuser-roles/{role-id}': {
    empty: true;
  };
  /** Who you are */
  'GET /account': {
    one: User;
  };
  /** Change your profile; only the fields given */
  'PUT /account': {
    body?: {
      email?: string;
      /** needed to change the e-mail address */
      current_password?: string;
      username?: string;
      first_name?: string;
      last_name?: string;
      language?: string;
    };
    one: User;
  };
  /** Change your password; your other sessions end */
  'PUT /account/password': {
    body: {
      current_password: string;
      /** at least 10 characters */
      password: string;
    };
    one: Accepted;
  };
  /** What was done with your account, newest first */
  'GET /account/activity': {
    query?: {
      /** page number, from 1 */
      page?: number;
      /** items per page */
      per_page?: number;
      /** literal, case-insensitive part of the name */
      search?: string;
      /** created_at; several with commas between them, a leading - for descending */
      sort?: string;
    };
    list: ActivityEvent;
  };
  /** Begin to set up two-factor authentication: a secret for an authenticator app */
  'POST /account/2fa': {
    body: {
      password: string;
    };
    one: {
      /** base32 */
      secret: string;
      otpauth_url: string;
      /** an SVG image as a data: URL */
      qr_code: string;
    };
  };
  /** Switch two-factor authentication off */
  'DELETE /account/2fa': {
    body: {
      password: string;
      code?: string;
      /** instead of `code` */
      recovery_code?: string;
    };
    empty: true;
  };
  /** Switch two-factor authentication on with a first code */
  'POST /account/2fa/confirm': {
    body: {
      code: string;
    };
    one: {
      /** each works once in place of a code; shown this once */
      recovery_codes: string[];
    };
  };
  /** Your API keys */
  'GET /account/api-keys': {
    query?: {
      /** page number, from 1 */
      page?: number;
      /** items per page */
      per_page?: number;
      /** literal, case-insensitive part of the name */
      search?: string;
      /** created_at, description, last_used_at; several with commas between them, a leading - for descending */
      sort?: string;
    };
    list: ApiKey;
  };
  /** Create an API key; its value is shown in this answer only */
  'POST /account/api-keys': {
    body: {
      description: string;
      allowed_ips?: string[];
      expires_at?: string | null;
      permissions?: string[] | null;
    };
    creates: true;
    one: CreatedApiKey;
  };
  /** Delete an API key; it stops working at once */
  'DELETE /account/api-keys/{key-id}': {
    empty: true;
  };
  /** Your sessions */
  'GET /account/sessions': {
    query?: {
      /** page number, from 1 */
      page?: number;
      /** items per page */
      per_page?: number;
      /** literal, case-insensitive part of the name */
      search?: string;
      /** created_at, last_used_at; several with commas between them, a leading - for descending */
      sort?: string;
    };
    list: Session;
  };
  /** End a session */
  'DELETE /account/sessions/{session-id}': {
    empty: true;
  };
  /** Your SSH keys, for SFTP */
  'GET /account/ssh-keys': {
    query?: {
      /** page number, from 1 */
      page?: number;
      /** items per page */
      per_page?: number;
      /** literal, case-insensitive part of the name */
      search?: string;
      /** created_at, name, last_used_at; several with commas between them, a leading - for descending */
      sort?: string;
    };
    list: SshKey;
  };
  /** Register an SSH key; at most 25 */
  'POST /account/ssh-keys': {
    body: {
      /** default: the key's comment */
      name?: string;
      /** one line, as in a .pub file */
      public_key: string;
    };
    creates: true;
    one: SshKey;
  };
  /** Remove an SSH key; its connections end within seconds */
  'DELETE /account/ssh-keys/{key-id}': {
    empty: true;
  };
  /** What user interfaces keep for you */
  'GET /account/preferences': {
    one: Record<string, unknown>;
  };
  /** Replace what user interfaces keep for you */
  'PUT /account/preferences': {
    body?: Record<string, unknown>;
    one: Record<string, unknown>;
  };
  /** What the store sells */
  'GET /store/products': {
    query?: {
      /** page number, from 1 */
      page?: number;
      /** items per page */
      per_page?: number;
      /** literal, case-insensitive part of the name */
      search?: string;
      /** created_at, name; several with commas between them, a leading - for descending */
      sort?: string;
    };
    list: Product;
  };
  /** One product */
  'GET /store/products/{id}': {
    one: Product;
  };
  /** Your cart */
  'GET /store/cart': {
    one: Cart;
  };
  /** Put something into the cart */
  'POST /store/cart': {
    body: {
      product_id: string;
      plan_id?: string | '';
      quantity?: number;
      config?: {
        server_name?: string;
        environment?: Record<string, string>;
      };
    };
    creates: true;
    one: Cart;
  };
  /** Take something out of the cart */
  'DELETE /store/cart/{item-id}': {
    empty: true;
  };
  /** Apply a coupon to the cart */
  'POST /store/coupon': {
    body: {
      code: string;
    };
    one: Cart;
  };
  /** Take the coupon off the cart */
  'DELETE /store/coupon': {
    empty: true;
  };
  /** Buy what is in the cart, or the items given */
  'POST /store/checkout': {
    body: {
      /** credits, manual, or a gateway: GET /billing/payment-methods */
      payment_method: string;
      /** instead of the cart */
      items?: {
        product_id: string;
        plan_id?: string | '';
        quantity?: number;
        config?: {
          server_name?: string;
          environment?: Record<string, string>;
        };
      }[];
      /** with items; the cart has its own */
      coupon?: string;
      /** on the panel's own address */
      return_url?: string;
      save_payment_method?: boolean;
      /** first, as far as they go; a gateway takes the rest */
      use_credits?: boolean;
    };
    creates: true;
    one: {
      order: Order;
      invoice: Invoice;
      services: Service[];
      /** where to pay; null when nothing is to do there */
      payment_url: string | null;
    };
  };
  /** Your invoices */
  'GET /billing/invoices': {
    query?: {
      /** page number, from 1 */
      page?: number;
      /** items per page */
      per_page?: number;
      /** literal, case-insensitive part of the name */
      search?: string;
      /** created_at, number, due_at, total; several with commas between them, a leading - for descending */
      sort?: string;
      status?: 'draft' | 'unpaid' | 'paid' | 'void' | 'refunded' | 'overdue';
    };
    list: Invoice;
  };
  /** One invoice, as data or as a document */
  'GET /billing/invoices/{id}': {
    query?: {
      /** a document instead of JSON; XML by EN 16931, or XRechnung for customers with a buyer reference */
      format?: 'json' | 'html' | 'pdf' | 'xml';
    };
    one: Invoice;
    raw: 'text/html' | 'application/pdf' | 'application/xml';
  };
  /** Pay an invoice */
  'POST /billing/invoices/{id}/pay': {
    body: {
      /** credits, manual, or a gateway: GET /billing/payment-methods */
      payment_method: string;
      /** on the panel's own address */
      return_url?: string;
      save_payment_method?: boolean;
      /** first, as far as they go; a gateway takes the rest */
      use_credits?: boolean;
    };
    one: {
      invoice: Invoice;
      payment_url: string | null;
    };
  };
  /** How to pay an invoice from a bank account */
  'GET /billing/invoices/{id}/bank-transfer': {
    one: BankTransfer;
  };
  /** Your orders */
  'GET /billing/orders': {
    query?: {
      /** page number, from 1 */
      page?: number;
      /** items per page */
      per_page?: number;
      /** literal, case-insensitive part of the name */
      search?: string;
      /** created_at, number, total; several with commas between them, a leading - for descending */
      sort?: string;
      status?: 'pending' | 'paid' | 'completed' | 'cancelled' | 'failed';
    };
    list: Order;
  };
  /** One order */
  'GET /billing/orders/{id}': {
    one: Order;
  };
  /** Cancel an order that is not paid */
  'DELETE /billing/orders/{id}': {
    empty: true;
  };
  /** What you have bought */
  'GET /billing/services': {
    query?: {
      /** page number, from 1 */
      page?: number;
      /** items per page */
      per_page?: number;
      /** literal, case-insensitive part of the name */
      search?: string;
      /** created_at, next_due_at; several with commas between them, a leading - for descending */
      sort?: string;
      status?: 'pending' | 'provisioning' | 'active' | 'suspended' | 'cancelled' | 'terminated' | 'failed';
    };
    list: Service;
  };
  /** One service */
  'GET /billing/services/{id}': {
    one: Service;
  };
  /** Cancel a service at the end of its period, or at once */
  'DELETE /billing/services/{id}': {
    query?: {
      /** true: at once, not at the end of the period */
      immediately?: 'true' | 'false';
    };
    empty: true;
  };
  /** Take back a cancellation at the end of the period */
  'POST /billing/services/{id}/resume': {
    one: Service;
  };
  /** Change the plan; the difference for the rest of the period is invoiced or credited */
  'POST /billing/services/{id}/plan': {
    body: {
      product_id?: string | '';
      plan_id: string;
      /** credits, manual, or a gateway: GET /billing/payment-methods */
      payment_method?: string;
    };
    one: {
      service: Service;
      invoice_id: string | null;
      /** negative: what was credited */
      prorated: {
        /** in minor units */
        amount: number;
        /** ISO 4217 */
        currency: string;
      };
      payment_url: string | null;
    };
  };
  /** Your credit balance */
  'GET /billing/credits': {
    one: Credits;
  };
  /** Buy credits */
  'POST /billing/credits': {
    body: {
      /** minor units, in the currency of the shop */
      amount: {
        /** in minor units */
        amount: number;
        /** ISO 4217 */
        currency: string;
      } | number;
      /** manual, or a gateway: GET /billing/payment-methods */
      payment_method: string;
      /** on the panel's own address */
      return_url?: string;
    };
    creates: true;
    one: {
      invoice: Invoice;
      payment_url: string | null;
    };
  };
  /** Redeem a gift code: its amount is added to your credits */
  'POST /billing/gift-codes/redeem': {
    body: {
      /** case, spaces and hyphens do not count */
      code: string;
    };
    creates: true;
    one: {
      entry: {
        id: string;
        amount: {
          /** in minor units */
          amount: number;
          /** ISO 4217 */
          currency: string;
        };
        reason: string;
        reference: string | null;
        created_at: string;
      };
      /** in minor units */
      balance: number;
      currency: string;
    };
  };
  /** What can be chosen as payment_method */
  'GET /billing/payment-methods': {
    one: {
      methods: string[];
    };
  };
  /** Your payment methods that gateways keep for renewals */
  'GET /billing/stored-methods': {
    query?: {
      /** page number, from 1 */
      page?: number;
      /** items per page */
      per_page?: number;
      /** literal, case-insensitive part of the name */
      search?: string;
      /** created_at, gateway, label; several with commas between them, a leading - for descending */
      sort?: string;
    };
    list: {
      id: string;
      gateway: string;
      label: string;
      created_at: string;
    };
  };
  /** Forget a stored payment method */
  'DELETE /billing/stored-methods/{id}': {
    empty: true;
  };
  /** Who is on your invoices */
  'GET /billing/profile': {
    one: BillingProfile;
  };
  /** Change who is on your invoices; only the fields given */
  'PUT /billing/profile': {
    body?: {
      name?: string;
      company?: string;
      address?: string;
      /** ISO 3166-1 alpha-2; decides the tax rate */
      country?: string;
      vat_number?: string;
      /** Leitweg-ID or the like, for electronic invoices; empty: none */
      buyer_reference?: string;
    };
    one: BillingProfile;
  };
  /** All servers */
  'GET /admin/servers': {
    query?: {
      /** page number, from 1 */
      page?: number;
      /** items per page */
      per_page?: number;
      /** literal, case-insensitive part of the name */
      search?: string;
      /** created_at, name, status, memory, cpu, disk; several with commas between them, a leading - for descending */
      sort?: string;
      /** only servers in this status */
      status?: 'offline' | 'starting' | 'running' | 'stopping' | 'installing' | 'install_failed' | 'reinstalling' | 'suspended' | 'transferring' | 'restoring' | 'deleting' | 'unknown';
      /** only servers of this owner */
      user_id?: string;
      /** only servers on this node */
      node_id?: string;
      /** only servers of this egg */
      egg_id?: string;
      /** only the server with this external id */
      external_id?: string;
    };
    list: AdminServer;
  };
  /** Create a server and begin its installation */
  'POST /admin/servers': {
    body: {
      name: string;
      user_id: string;
      egg_id: string;
      memory: number;
      cpu: number;
      disk: number;
      swap?: number;
      io?: number;
      databases_limit?: number;
      backups_limit?: number;
      allocations_limit?: number;
      description?: string;
      docker_image?: string;
      environment?: Record<string, string>;
      additional_allocation_ids?: string[];
      external_id?: string;
      /** when the node starts: also a stopped server, only one that ran, or none */
      auto_start?: 'always' | 'unless_stopped' | 'never';
      timezone?: string | null;
      threads?: string | null;
      oom_disabled?: boolean;
      stop_grace?: number | null;
      node_id?: string;
      allocation_id?: string;
      startup?: string;
      start_on_completion?: boolean;
      skip_scripts?: boolean;
      /** server id of files that the report of `node_id` lists: nothing is installed */
      adopted_id?: string;
      node_tags?: string[];
    };
    creates: true;
    one: AdminServer;
  };
  /** One server, with every field */
  'GET /admin/servers/{id}': {
    one: AdminServer;
  };
  /** Change a server; only the fields given */
  'PUT /admin/servers/{id}': {
    body?: {
      name?: string;
      user_id?: string;
      /** only together with reinstall */
      egg_id?: string | null;
      memory?: number;
      cpu?: number;
      disk?: number;
      swap?: number;
      io?: number;
      databases_limit?: number;
      backups_limit?: number;
      allocations_limit?: number;
      description?: string;
      docker_image?: string;
      environment?: Record<string, string>;
      additional_allocation_ids?: string[];
      external_id?: string | null;
      /** when the node starts: also a stopped server, only one that ran, or none */
      auto_start?: 'always' | 'unless_stopped' | 'never';
      timezone?: string | null;
      threads?: string | null;
      oom_disabled?: boolean;
      stop_grace?: number | null;
      /** null or empty: the egg's */
      startup?: string | '' | null;
      /** the primary one */
      allocation_id?: string;
      add_allocation_ids?: string[];
      remove_allocation_ids?: string[];
      reinstall?: boolean;
      skip_scripts?: boolean;
    };
    one: UpdatedServer;
  };
  /** Delete a server with its files; 202 while its node does not answer, `?force=true` when it is gone */
  'DELETE /admin/servers/{id}': {
    query?: {
      /** go on although the node does not answer */
      force?: 'true' | 'false';
      /** whether its completed backups stay; without it as the installation is configured */
      keep_backups?: 'true' | 'false';
    };
    one: AdminServer | undefined;
  };
  /** Take a deletion back that waits for its node: the server stays, stopped */
  'DELETE /admin/servers/{id}/deletion': {
    empty: true;
  };
  /** Suspend: the game is stopped, and no user can use the server */
  'POST /admin/servers/{id}/suspend': {
    one: AdminServer;
  };
  /** Lift a suspension; nothing is started */
  'POST /admin/servers/{id}/unsuspend': {
    one: AdminServer;
  };
  /** Run the install script again over the files */
  'POST /admin/servers/{id}/reinstall': {
    one: AdminServer;
  };
  /** Begin to move to another node with its files, or those of a backup when its node is gone */
  'POST /admin/servers/{id}/transfer': {
    body: {
      /** the node to move to */
      node_id: string;
      /** the primary one on that node; any free one when left out */
      allocation_id?: string;
      /** when left out, as many free ones as the server has now */
      additional_allocation_ids?: string[];
      /** when the node of the server is gone: the backup that its files come from */
      backup_id?: string;
      /** that node has the files already, as its report says: nothing is copied, and none are removed */
      has_files?: boolean;
    };
    one: AdminServer;
  };
  /** Cancel a transfer that has not moved the server yet: it stays where it is */
  'DELETE /admin/servers/{id}/transfer': {
    empty: true;
  };
  /** Backups that deleted servers have left, the last deleted first */
  'GET /admin/backups': {
    query?: {
      /** page number, from 1 */
      page?: number;
      /** items per page */
      per_page?: number;
      /** literal, case-insensitive part of the name */
      search?: string;
      /** server_deleted_at, created_at, name, server_name, bytes; several with commas between them, a leading - for descending */
      sort?: string;
      /** only those of this server */
      server_id?: string;
    };
    list: RetainedBackup;
  };
  /** Download a backup of a deleted server; ranges where it is stored as one archive */
  'GET /admin/backups/{backup-id}/download': {
    raw: 'application/gzip';
  };
  /** Delete a backup of a deleted server */
  'DELETE /admin/backups/{backup-id}': {
    empty: true;
  };
  /** All users */
  'GET /admin/users': {
    query?: {
      /** page number, from 1 */
      page?: number;
      /** items per page */
      per_page?: number;
      /** literal, case-insensitive part of the name */
      search?: string;
      /** created_at, email, username, last_login_at; several with commas between them, a leading - for descending */
      sort?: string;
      /** only users with this role */
      role_id?: string;
      two_factor_enabled?: 'true' | 'false';
      /** only the user with this address, in any case */
      email?: string;
      /** only the user with this external id */
      external_id?: string;
    };
    list: AdminUser;
  };
  /** Create a user; without a password the user gets a mail to choose one */
  'POST /admin/users': {
    body: {
      email: string;
      username: string;
      /** without one the user chooses it by mail */
      password?: string;
      first_name?: string;
      last_name?: string;
      /** BCP 47 tag */
      language?: string;
      role_id?: string;
      external_id?: string;
    };
    creates: true;
    one: AdminUser;
  };
  /** One user */
  'GET /admin/users/{id}': {
    one: AdminUser;
  };
  /** Change a user; only the fields given. A new password ends all sessions */
  'PUT /admin/users/{id}': {
    body?: {
      email?: string;
      username?: string;
      /** without one the user chooses it by mail */
      password?: string;
      first_name?: string;
      last_name?: string;
      /** BCP 47 tag */
      language?: string;
      role_id?: string;
      external_id?: string | null;
    };
    one: AdminUser;
  };
  /** Delete a user who owns no servers, and has and owes nothing; the latter not with `?force=true` */
  'DELETE /admin/users/{id}': {
    query?: {
      /** although credits, open invoices or active services lose their user */
      force?: 'true' | 'false';
    };
    empty: true;
  };
  /** API keys of a user */
  'GET /admin/users/{id}/api-keys': {
    query?: {
      /** page number, from 1 */
      page?: number;
      /** items per page */
      per_page?: number;
      /** literal, case-insensitive part of the name */
      search?: string;
      /** created_at, description, last_used_at; several with commas between them, a leading - for descending */
      sort?: string;
    };
    list: ApiKey;
  };
  /** Delete an API key of a user */
  'DELETE /admin/users/{id}/api-keys/{key-id}': {
    empty: true;
  };
  /** Sessions of a user */
  'GET /admin/users/{id}/sessions': {
    query?: {
      /** page number, from 1 */
      page?: number;
      /** items per page */
      per_page?: number;
      /** literal, case-insensitive part of the name */
      search?: string;
      /** created_at, last_used_at; several with commas between them, a leading - for descending */
      sort?: string;
    };
    list: Session;
  };
  /** End all sessions of a user */
  'DELETE /admin/users/{id}/sessions': {
    empty: true;
  };
  /** Switch off two-factor authentication of a user who lost every way in */
  'DELETE /admin/users/{id}/2fa': {
    empty: true;
  };
  /** All nodes */
  'GET /admin/nodes': {
    query?: {
      /** page number, from 1 */
      page?: number;
      /** items per page */
      per_page?: number;
      /** literal, case-insensitive part of the name */
      search?: string;
      /** created_at, name; several with commas between them, a leading - for descending */
      sort?: string;
    };
    list: Node;
  };
  /** Create a node */
  'POST /admin/nodes': {
    body: {
      name: string;
      description?: string;
      fqdn: string;
      tags?: string[];
      runtime: 'docker' | 'process';
      engine?: {
        url?: string;
        tls_ca?: string;
        tls_cert?: string;
        tls_key?: string;
      };
      files_address: string;
      data_root: string;
      /** null: the one that the node has when it is next seen */
      data_root_id?: string | null;
      memory: number;
      memory_overallocate?: number;
      disk: number;
      disk_overallocate?: number;
      cpu?: number;
      maintenance_mode?: boolean;
      upload_limit_mb?: number;
      /** like https://node1.example.com:2443; null: through the gateway */
      public_url?: string | null;
      emulated_platforms?: string[];
    };
    creates: true;
    one: Node;
  };
  /** One node */
  'GET /admin/nodes/{id}': {
    one: Node;
  };
  /** Change a node; only the fields given */
  'PUT /admin/nodes/{id}': {
    body?: {
      name?: string;
      description?: string;
      fqdn?: string;
      tags?: string[];
      engine?: {
        url?: string;
        tls_ca?: string;
        tls_cert?: string;
        tls_key?: string;
      };
      files_address?: string;
      data_root?: string;
      /** null: the one that the node has when it is next seen */
      data_root_id?: string | null;
      memory?: number;
      memory_overallocate?: number;
      disk?: number;
      disk_overallocate?: number;
      cpu?: number;
      maintenance_mode?: boolean;
      upload_limit_mb?: number;
      /** like https://node1.example.com:2443; null: through the gateway */
      public_url?: string | null;
      emulated_platforms?: string[];
    };
    one: Node;
  };
  /** Delete a node that has no servers */
  'DELETE /admin/nodes/{id}': {
    empty: true;
  };
  /** Usage over time of what runs on a node: CPU, memory, disk and network */
  'GET /admin/nodes/{id}/metrics': {
    query?: {
      /** an hour before `to` without it */
      from?: string;
      /** now without it */
      to?: string;
      /** seconds; the finest that still holds the range without it */
      step?: '10' | '60' | '900';
    };
    one: Metrics;
  };
  /** Where the node differs from the records: orphaned and missing files, unknown instances */
  'GET /admin/nodes/{id}/report': {
    one: NodeReport;
  };
  /** Accept the files of a node as they are, after the database was restored from an older dump */
  'POST /admin/nodes/{id}/report/accept': {
    empty: true;
  };
  /** Remove the files of a server that is not on this node, for good */
  'DELETE /admin/nodes/{id}/volumes/{server-id}': {
    empty: true;
  };
  /** Allocations of a node */
  'GET /admin/nodes/{id}/allocations': {
    query?: {
      /** page number, from 1 */
      page?: number;
      /** items per page */
      per_page?: number;
      /** literal, case-insensitive part of the name */
      search?: string;
      /** port, ip, created_at; several with commas between them, a leading - for descending */
      sort?: string;
    };
    list: Allocation;
  };
  /** Create allocations, all of them or none */
  'POST /admin/nodes/{id}/allocations': {
    body: {
      /** that the machine has itself; behind NAT its private one, or 0.0.0.0 (all of them), with the public one as alias */
      ip: string;
      /** what players enter instead; required for 0.0.0.0 and :: */
      alias?: string;
      ports: string[];
    };
    creates: true;
    list: Allocation;
  };
  /** Delete a free allocation */
  'DELETE /admin/nodes/{id}/allocations/{alloc-id}': {
    empty: true;
  };
  /** All database hosts */
  'GET /admin/database-hosts': {
    query?: {
      /** page number, from 1 */
      page?: number;
      /** items per page */
      per_page?: number;
      /** literal, case-insensitive part of the name */
      search?: string;
      /** created_at, name; several with commas between them, a leading - for descending */
      sort?: string;
      /** only hosts that serve this node */
      node_id?: string;
    };
    list: DatabaseHost;
  };
  /** Add a database host; its connection and rights are tested first */
  'POST /admin/database-hosts': {
    body: {
      name: string;
      /** mysql is MariaDB and MySQL */
      engine: 'mysql' | 'postgresql';
      host: string;
      /** 3306 of mysql, 5432 of postgresql unless given */
      port?: number;
      username: string;
      password: string;
      node_ids?: string[];
      max_databases?: number | null;
      max_connections?: number;
    };
    creates: true;
    one: DatabaseHost;
  };
  /** One database host */
  'GET /admin/database-hosts/{id}': {
    one: DatabaseHost;
  };
  /** Change a database host; only the fields given */
  'PUT /admin/database-hosts/{id}': {
    body?: {
      name?: string;
      host?: string;
      port?: number;
      username?: string;
      password?: string;
      node_ids?: string[];
      max_databases?: number | null;
      max_connections?: number;
    };
    one: DatabaseHost;
  };
  /** Remove a database host that has no databases; `?force=true` for one that is lost, with its databases */
  'DELETE /admin/database-hosts/{id}': {
    query?: {
      /** although it has databases: they are forgotten, and nothing is done on the host */
      force?: 'true' | 'false';
    };
    empty: true;
  };
  /** Where the host differs from the records: orphans and missing databases */
  'GET /admin/database-hosts/{id}/report': {
    query?: {
      /** true: compare now instead of showing the last comparison */
      fresh?: 'true' | 'false';
    };
    one: DatabaseHostReport;
  };
  /** All registries with credentials */
  'GET /admin/registries': {
    query?: {
      /** page number, from 1 */
      page?: number;
      /** items per page */
      per_page?: number;
      /** literal, case-insensitive part of the name */
      search?: string;
      /** created_at, host; several with commas between them, a leading - for descending */
      sort?: string;
    };
    list: Registry;
  };
  /** Add credentials of an image registry, in one of the forms that `docker login` writes */
  'POST /admin/registries': {
    body: {
      host: string;
      egg_id?: string | null;
      username?: string;
      /** with `username` */
      password?: string;
      /** instead of `username` and `password`: base64 of `user:password` */
      auth?: string;
      /** instead of `password`; `username` may stand beside it */
      identity_token?: string;
      /** instead of `identity_token`: its name in the file of `docker login` */
      identitytoken?: string;
    };
    creates: true;
    one: Registry;
  };
  /** One registry */
  'GET /admin/registries/{id}': {
    one: Registry;
  };
  /** Change a registry; only the fields given, another host with its credentials */
  'PUT /admin/registries/{id}': {
    body?: {
      host?: string;
      egg_id?: string | null;
      username?: string;
      /** with `username` */
      password?: string;
      /** instead of `username` and `password`: base64 of `user:password` */
      auth?: string;
      /** instead of `password`; `username` may stand beside it */
      identity_token?: string;
      /** instead of `identity_token`: its name in the file of `docker login` */
      identitytoken?: string;
    };
    one: Registry;
  };
  /** Remove a registry with its credentials */
  'DELETE /admin/registries/{id}': {
    empty: true;
  };
  /** All nests */
  'GET /admin/nests': {
    query?: {
      /** page number, from 1 */
      page?: number;
      /** items per page */
      per_page?: number;
      /** literal, case-insensitive part of the name */
      search?: string;
      /** created_at, name; several with commas between them, a leading - for descending */
      sort?: string;
    };
    list: Nest;
  };
  /** Create a nest */
  'POST /admin/nests': {
    body: {
      name: string;
      description?: string;
      author?: string;
    };
    creates: true;
    one: Nest;
  };
  /** One nest */
  'GET /admin/nests/{id}': {
    one: Nest;
  };
  /** Change a nest; only the fields given */
  'PUT /admin/nests/{id}': {
    body?: {
      name?: string;
      description?: string;
      author?: string;
    };
    one: Nest;
  };
  /** Delete a nest that has no eggs */
  'DELETE /admin/nests/{id}': {
    empty: true;
  };
  /** Eggs of a nest */
  'GET /admin/nests/{id}/eggs': {
    query?: {
      /** page number, from 1 */
      page?: number;
      /** items per page */
      per_page?: number;
      /** literal, case-insensitive part of the name */
      search?: string;
      /** created_at, name; several with commas between them, a leading - for descending */
      sort?: string;
    };
    list: Egg;
  };
  /** Create an egg */
  'POST /admin/nests/{id}/eggs': {
    body: {
      name: string;
      description?: string;
      author?: string;
      features?: string[];
      docker_images: Record<string, string>;
      startup: string;
      startup_commands?: Record<string, string>;
      config?: {
        files?: Record<string, unknown>;
        startup?: {
          done?: string | string[];
          strip_ansi?: boolean;
        };
        logs?: Record<string, unknown>;
        stop?: string;
        stop_grace?: number | null;
      };
      script?: {
        install?: string;
        container?: string;
        entrypoint?: string;
      };
      file_denylist?: string[];
      force_outgoing_ip?: boolean;
      variables?: {
        name: string;
        description?: string;
        env_variable: string;
        default_value?: string;
        user_viewable?: boolean;
        user_editable?: boolean;
        rules?: string | string[];
      }[];
      /** which of docker_images is the default; the first unless given */
      docker_image?: string;
    };
    creates: true;
    one: Egg;
  };
  /** Import an egg file; the body is the file */
  'POST /admin/eggs/import': {
    query?: {
      /** nest to import into; without it the nest "Imported" */
      nest_id?: string;
    };
    bytes: 'application/json' | 'application/yaml' | 'application/x-yaml' | 'text/yaml' | 'text/x-yaml';
    creates: true;
    one: ImportedEgg;
  };
  /** Replace all that an egg says by an egg file; the body is the file */
  'POST /admin/eggs/{id}/import': {
    bytes: 'application/json' | 'application/yaml' | 'application/x-yaml' | 'text/yaml' | 'text/x-yaml';
    one: ImportedEgg;
  };
  /** One egg */
  'GET /admin/eggs/{id}': {
    one: Egg;
  };
  /** Change an egg; only the fields given, each replaced whole */
  'PUT /admin/eggs/{id}': {
    body?: {
      name?: string;
      description?: string;
      author?: string;
      features?: string[];
      docker_images?: Record<string, string>;
      startup?: string;
      startup_commands?: Record<string, string>;
      config?: {
        files?: Record<string, unknown>;
        startup?: {
          done?: string | string[];
          strip_ansi?: boolean;
        };
        logs?: Record<string, unknown>;
        stop?: string;
        stop_grace?: number | null;
      };
      script?: {
        install?: string;
        container?: string;
        entrypoint?: string;
      };
      file_denylist?: string[];
      force_outgoing_ip?: boolean;
      variables?: {
        name: string;
        description?: string;
        env_variable: string;
        default_value?: string;
        user_viewable?: boolean;
        user_editable?: boolean;
        rules?: string | string[];
      }[];
      /** which of docker_images is the default; the first unless given */
      docker_image?: string;
      nest_id?: string;
    };
    one: Egg;
  };
  /** Delete an egg that no server uses */
  'DELETE /admin/eggs/{id}': {
    empty: true;
  };
  /** Have servers of an egg take it over from their next start, or tell what would change */
  'POST /admin/eggs/{id}/apply': {
    body?: {
      /** tell what would change, and change nothing */
      dry_run?: boolean;
      /** empty: all servers of the egg */
      server_ids?: string[];
      /** the next_server_id of the answer before */
      after?: string;
    };
    one: AppliedEgg;
  };
  /** The egg as a PTDL_v2 file */
  'GET /admin/eggs/{id}/export': {
    raw: 'application/json';
  };
  /** All products */
  'GET /admin/billing/products': {
    query?: {
      /** page number, from 1 */
      page?: number;
      /** items per page */
      per_page?: number;
      /** literal, case-insensitive part of the name */
      search?: string;
      /** created_at, name; several with commas between them, a leading - for descending */
      sort?: string;
      /** only products whose servers are of this egg */
      egg_id?: string;
    };
    list: Product;
  };
  /** Create a product */
  'POST /admin/billing/products': {
    body: {
      name: string;
      /** default: from the name */
      slug?: string;
      description?: string;
      category?: string;
      active?: boolean;
      stock?: number | null;
      per_user_limit?: number | null;
      plans?: {
        id?: string | '';
        name?: string;
        /** minor units alone are in the currency of the shop */
        price?: {
          /** in minor units */
          amount: number;
          /** ISO 4217 */
          currency: string;
        } | number;
        setup_fee?: {
          /** in minor units */
          amount: number;
          /** ISO 4217 */
          currency: string;
        } | number | null;
        interval?: 'day' | 'week' | 'month' | 'year' | 'once' | 'free' | 'metered';
        interval_count?: number;
        usage_rates?: {
          running_hour_micros?: number;
          memory_gb_hour_micros?: number;
          disk_gb_hour_micros?: number;
          traffic_gb_micros?: number;
          monthly_cap?: number;
        } | null;
      }[];
      /** instead of plans: one monthly plan */
      price?: {
        /** in minor units */
        amount: number;
        /** ISO 4217 */
        currency: string;
      } | number;
      server: {
        egg_id: string;
        memory: number;
        cpu: number;
        disk: number;
        swap?: number;
        io?: number;
        databases_limit?: number;
        backups_limit?: number;
        allocations_limit?: number;
        node_tags?: string[];
        environment?: Record<string, string>;
        docker_image?: string | null;
        /** when the node starts: also a stopped server, only one that ran, or none */
        auto_start?: 'always' | 'unless_stopped' | 'never';
        timezone?: string | null;
        threads?: string | null;
        oom_disabled?: boolean;
        stop_grace?: number | null;
      };
      upgrade_product_ids?: string[];
    };
    creates: true;
    one: Product;
  };
  /** Change a product; only the fields given */
  'PUT /admin/billing/products/{id}': {
    body?: {
      name?: string;
      slug?: string;
      description?: string;
      category?: string;
      active?: boolean;
      stock?: number | null;
      per_user_limit?: number | null;
      plans?: {
        id?: string | '';
        name?: string;
        /** minor units alone are in the currency of the shop */
        price?: {
          /** in minor units */
          amount: number;
          /** ISO 4217 */
          currency: string;
        } | number;
        setup_fee?: {
          /** in minor units */
          amount: number;
          /** ISO 4217 */
          currency: string;
        } | number | null;
        interval?: 'day' | 'week' | 'month' | 'year' | 'once' | 'free' | 'metered';
        interval_count?: number;
        usage_rates?: {
          running_hour_micros?: number;
          memory_gb_hour_micros?: number;
          disk_gb_hour_micros?: number;
          traffic_gb_micros?: number;
          monthly_cap?: number;
        } | null;
      }[];
      /** instead of plans: one monthly plan */
      price?: {
        /** in minor units */
        amount: number;
        /** ISO 4217 */
        currency: string;
      } | number;
      server?: {
        egg_id: string;
        memory: number;
        cpu: number;
        disk: number;
        swap?: number;
        io?: number;
        databases_limit?: number;
        backups_limit?: number;
        allocations_limit?: number;
        node_tags?: string[];
        environment?: Record<string, string>;
        docker_image?: string | null;
        /** when the node starts: also a stopped server, only one that ran, or none */
        auto_start?: 'always' | 'unless_stopped' | 'never';
        timezone?: string | null;
        threads?: string | null;
        oom_disabled?: boolean;
        stop_grace?: number | null;
      } | null;
      upgrade_product_ids?: string[];
    };
    one: Product;
  };
  /** Delete a product that no service uses */
  'DELETE /admin/billing/products/{id}': {
    empty: true;
  };
  /** All orders */
  'GET /admin/billing/orders': {
    query?: {
      /** page number, from 1 */
      page?: number;
      /** items per page */
      per_page?: number;
      /** literal, case-insensitive part of the name */
      search?: string;
      /** created_at, number, total; several with commas between them, a leading - for descending */
      sort?: string;
      status?: 'pending' | 'paid' | 'completed' | 'cancelled' | 'failed';
      /** of this user only */
      user_id?: string | '';
    };
    list: Order;
  };
  /** All invoices */
  'GET /admin/billing/invoices': {
    query?: {
      /** page number, from 1 */
      page?: number;
      /** items per page */
      per_page?: number;
      /** literal, case-insensitive part of the name */
      search?: string;
      /** created_at, number, due_at, total; several with commas between them, a leading - for descending */
      sort?: string;
      status?: 'draft' | 'unpaid' | 'paid' | 'void' | 'refunded' | 'overdue';
      /** of this user only */
      user_id?: string | '';
    };
    list: Invoice;
  };
  /** Mark an invoice as paid, or void it */
  'PUT /admin/billing/invoices/{id}': {
    body: {
      status: 'paid' | 'void';
      reference?: string;
    };
    one: Invoice;
  };
  /** Give money back and issue a credit note */
  'POST /admin/billing/invoices/{id}/refund': {
    body?: {
      /** default: everything that was paid */
      amount?: {
        /** in minor units */
        amount: number;
        /** ISO 4217 */
        currency: string;
      } | number;
      destination?: 'credits' | 'original';
      reason?: string;
      cancel_services?: boolean;
    };
    creates: true;
    one: {
      invoice: Invoice;
      credit_note: Invoice | null;
    };
  };
  /** Book the incoming payments of a bank statement on their invoices */
  'POST /admin/billing/bank-statements': {
    body: {
      /** camt: camt.053 or camt.052 of ISO 20022 */
      format: 'camt' | 'csv';
      /** the file as text */
      content: string;
      /** names of columns of a CSV file; default: the known ones of banks */
      columns?: {
        date?: string;
        amount?: string;
        text?: string;
        currency?: string;
        payer?: string;
      };
      /** say what would be booked */
      dry_run?: boolean;
    };
    one: BankStatement;
  };
  /** Who is on the invoices of a user, and what decides about tax */
  'GET /admin/users/{id}/billing/profile': {
    one: BillingProfile;
  };
  /** Exempt a user from tax, or end that with an empty reason */
  'PUT /admin/users/{id}/billing/profile': {
    body: {
      /** why, as invoices say it; null or empty: not exempt */
      tax_exemption: string | null;
    };
    one: BillingProfile;
  };
  /** The credit balance of a user */
  'GET /admin/users/{id}/credits': {
    one: Credits;
  };
  /** Give credits to a user, or take them with a negative amount */
  'POST /admin/users/{id}/credits': {
    body: {
      /** minor units alone are in the currency of the shop */
      amount: {
        /** in minor units */
        amount: number;
        /** ISO 4217 */
        currency: string;
      } | number;
      reason: string;
    };
    creates: true;
    one: {
      entry: {
        id: string;
        amount: {
          /** in minor units */
          amount: number;
          /** ISO 4217 */
          currency: string;
        };
        reason: string;
        reference: string | null;
        created_at: string;
      };
      balance: number;
      currency: string;
    };
  };
  /** All services */
  'GET /admin/billing/services': {
    query?: {
      /** page number, from 1 */
      page?: number;
      /** items per page */
      per_page?: number;
      /** literal, case-insensitive part of the name */
      search?: string;
      /** created_at, next_due_at; several with commas between them, a leading - for descending */
      sort?: string;
      status?: 'pending' | 'provisioning' | 'active' | 'suspended' | 'cancelled' | 'terminated' | 'failed';
      /** of this user only */
      user_id?: string | '';
    };
    list: Service;
  };
  /** Change price or due date of a service; suspend, unsuspend or terminate it */
  'PUT /admin/billing/services/{id}': {
    body?: {
      /** minor units alone are in the currency of the shop */
      price?: {
        /** in minor units */
        amount: number;
        /** ISO 4217 */
        currency: string;
      } | number;
      next_due_at?: string | null;
      action?: 'suspend' | 'unsuspend' | 'terminate';
      /** with suspend: its periods are invoiced all the same */
      keep_invoicing?: boolean;
    };
    one: Service;
  };
  /** Try again now to create or change the server of a service */
  'POST /admin/billing/services/{id}/retry': {
    one: Service;
  };
  /** All coupons */
  'GET /admin/billing/coupons': {
    query?: {
      /** page number, from 1 */
      page?: number;
      /** items per page */
      per_page?: number;
      /** literal, case-insensitive part of the name */
      search?: string;
      /** created_at, code, uses; several with commas between them, a leading - for descending */
      sort?: string;
    };
    list: Coupon;
  };
  /** Create a coupon */
  'POST /admin/billing/coupons': {
    body: {
      code: string;
      /** percent, or minor units */
      value: number;
      product_ids?: string[];
      max_uses?: number | null;
      max_uses_per_user?: number | null;
      recurring?: number | null;
      starts_at?: string | null;
      expires_at?: string | null;
      type: 'percent' | 'fixed';
    };
    creates: true;
    one: Coupon;
  };
  /** Change a coupon; only the fields given */
  'PUT /admin/billing/coupons/{id}': {
    body?: {
      code?: string;
      /** percent, or minor units */
      value?: number;
      product_ids?: string[];
      max_uses?: number | null;
      max_uses_per_user?: number | null;
      recurring?: number | null;
      starts_at?: string | null;
      expires_at?: string | null;
    };
    one: Coupon;
  };
  /** Delete a coupon; services keep their discount */
  'DELETE /admin/billing/coupons/{id}': {
    empty: true;
  };
  /** What the last comparison of payments, services, servers and ledger found */
  'GET /admin/billing/reports/discrepancies': {
    one: {
      checked_at: string | null;
      discrepancies: {
        kind: 'paid_not_running' | 'running_not_paid' | 'suspended_but_paid' | 'ledger_mismatch' | 'credit_without_payment' | 'payment_unknown' | 'payment_missing' | 'event_failed' | 'product_without_egg' | 'service_without_user';
        reference: string;
        detail: string;
        repaired: boolean;
        found_at: string;
      }[];
    };
  };
  /** All gift codes, without the codes themselves */
  'GET /admin/billing/gift-codes': {
    query?: {
      /** page number, from 1 */
      page?: number;
      /** items per page */
      per_page?: number;
      /** literal, case-insensitive part of the name */
      search?: string;
      /** created_at, amount, redeemed, expires_at; several with commas between them, a leading - for descending */
      sort?: string;
      status?: 'redeemable' | 'used_up' | 'expired';
      /** of this user only */
      user_id?: string | '';
    };
    list: GiftCode;
  };
  /** Create gift codes; this answer alone shows them */
  'POST /admin/billing/gift-codes': {
    body: {
      /** of 8 letters and digits at least; default: drawn */
      code?: string;
      /** how many; 1 with a code */
      count?: number;
      /** minor units; alone they are in the currency of the shop */
      amount: {
        /** in minor units */
        amount: number;
        /** ISO 4217 */
        currency: string;
      } | number;
      uses?: number;
      expires_at?: string | null;
      note?: string;
    };
    creates: true;
    one: {
      gift_codes: GiftCode[];
    };
  };
  /** A gift code, and who redeemed it when */
  'GET /admin/billing/gift-codes/{id}': {
    one: GiftCodeWithRedemptions;
  };
  /** Delete a gift code; customers keep what they have redeemed */
  'DELETE /admin/billing/gift-codes/{id}': {
    empty: true;
  };
  /** Revenue by month and product */
  'GET /admin/billing/reports/revenue': {
    query?: {
      /** like 2026-01 */
      from_month?: string;
      /** like 2026-01 */
      to_month?: string;
      /** a table for spreadsheets instead of JSON */
      format?: 'json' | 'csv';
    };
    one: {
      rows: {
        month: string;
        /** empty: not a product */
        product_id: string | '';
        product_name: string;
        /** without tax, less refunds, in minor units */
        amount: number;
        currency: string;
        invoices: number;
      }[];
    };
    raw: 'text/csv';
  };
  /** Tax by month, country, treatment and rate, less credit notes */
  'GET /admin/billing/reports/tax': {
    query?: {
      /** like 2026-01 */
      from_month?: string;
      /** like 2026-01 */
      to_month?: string;
      /** a table for spreadsheets instead of JSON */
      format?: 'json' | 'csv';
      /** when an invoice counts: on its day, or when it is paid */
      basis?: 'issued' | 'paid';
    };
    one: {
      rows: {
        month: string;
        /** whose rate it is, ISO 3166-1 alpha-2; empty: of no country */
        country: string;
        treatment: 'none' | 'standard' | 'reverse_charge' | 'outside_scope' | 'exempt';
        /** percent */
        rate: number;
        /** in minor units */
        net: number;
        tax: number;
        total: number;
        currency: string;
        /** with credit notes */
        invoices: number;
      }[];
    };
    raw: 'text/csv';
  };
  /** Revenue by the month in which it is earned, and what is paid for later */
  'GET /admin/billing/reports/recognized-revenue': {
    query?: {
      /** like 2026-01 */
      from_month?: string;
      /** like 2026-01 */
      to_month?: string;
      /** a table for spreadsheets instead of JSON */
      format?: 'json' | 'csv';
    };
    one: {
      rows: {
        month: string;
        product_id: string;
        product_name: string;
        /** earned in the month, without tax, in minor units */
        recognized: number;
        /** paid, to be earned after the month */
        deferred: number;
        currency: string;
      }[];
    };
    raw: 'text/csv';
  };
  /** What customers owe, by currency and how long it is due, now or at the end of an earlier day */
  'GET /admin/billing/reports/receivables': {
    query?: {
      /** a day like 2026-01-31, in the time zone of the settings; empty: today */
      at?: string;
      /** ISO 4217; empty: all */
      currency?: string;
      /** of this user only */
      user_id?: string | '';
      /** a table for spreadsheets instead of JSON */
      format?: 'json' | 'csv';
    };
    one: {
      /** the day that it is of */
      at: string;
      rows: {
        user_id: string;
        /** as the billing profile says */
        customer: string;
        /** below zero: money that is on its way back */
        not_due: number;
        /** due for 1 to 30 days */
        overdue_30: number;
        /** for 31 to 60 */
        overdue_60: number;
        /** for 61 to 90 */
        overdue_90: number;
        overdue_longer: number;
        /** credits below zero */
        debt: number;
        total: number;
        currency: string;
      }[];
      /** one a currency */
      totals: {
        /** below zero: money that is on its way back */
        not_due: number;
        /** due for 1 to 30 days */
        overdue_30: number;
        /** for 31 to 60 */
        overdue_60: number;
        /** for 61 to 90 */
        overdue_90: number;
        overdue_longer: number;
        /** credits below zero */
        debt: number;
        total: number;
        currency: string;
      }[];
    };
    raw: 'text/csv';
  };
  /** Money received, refunded and lost to disputes, by month, gateway and currency */
  'GET /admin/billing/reports/payments': {
    query?: {
      /** like 2026-01 */
      from_month?: string;
      /** like 2026-01 */
      to_month?: string;
      /** a table for spreadsheets instead of JSON */
      format?: 'json' | 'csv';
    };
    one: {
      rows: {
        month: string;
        /** `manual`: by bank or hand */
        gateway: string;
        /** in minor units */
        received: number;
        refunded: number;
        /** lost to disputes */
        disputed: number;
        /** received less refunded and disputed */
        net: number;
        currency: string;
        /** payments, refunds and lost disputes */
        movements: number;
      }[];
    };
    raw: 'text/csv';
  };
  /** The journal of a month as a file: every event that moved value */
  'GET /admin/billing/reports/journal': {
    query?: {
      /** like 2026-01, in the time zone of the settings */
      month?: string;
      /** `ndjson`: an object an entry, one a line; `datev`: a posting batch (EXTF) of entries in EUR */
      format?: 'csv' | 'ndjson' | 'datev';
    };
    raw: 'text/csv' | 'application/x-ndjson' | 'application/octet-stream';
  };
  /** Invoices and credit notes that were issued in a month, as PDF in a ZIP file */
  'GET /admin/billing/reports/documents': {
    query?: {
      /** like 2026-01, in the time zone of the settings */
      month?: string;
    };
    raw: 'application/zip';
  };
  /** Monthly recurring revenue and churn */
  'GET /admin/billing/reports/recurring-revenue': {
    query?: {
      /** like 2026-01 */
      from_month?: string;
      /** like 2026-01 */
      to_month?: string;
      /** a table for spreadsheets instead of JSON */
      format?: 'json' | 'csv';
    };
    one: {
      rows: {
        month: string;
        /** what active services bring per month, in minor units */
        amount: number;
        currency: string;
        active_services: number;
        new_services: number;
        ended_services: number;
        /** percent of the services active at the start of the month */
        churn: number;
      }[];
    };
    raw: 'text/csv';
  };
  /** Invoices that wait for their payment, the longest due first */
  'GET /admin/billing/reports/open-invoices': {
    query?: {
      /** a table for spreadsheets instead of JSON */
      format?: 'json' | 'csv';
    };
    one: {
      rows: {
        id: string;
        number: string;
        user_id: string;
        customer: string;
        status: 'unpaid' | 'overdue';
        due_at: string;
        /** still to pay, in minor units */
        amount: number;
        currency: string;
      }[];
    };
    raw: 'text/csv';
  };
  /** All roles */
  'GET /admin/roles': {
    query?: {
      /** page number, from 1 */
      page?: number;
      /** items per page */
      per_page?: number;
      /** literal, case-insensitive part of the name */
      search?: string;
      /** created_at, name; several with commas between them, a leading - for descending */
      sort?: string;
    };
    list: Role;
  };
  /** Create a role; it can hold no more than you do */
  'POST /admin/roles': {
    body: {
      name: string;
      description?: string;
      permissions?: string[];
      rate_limit_multiplier?: number;
    };
    creates: true;
    one: Role;
  };
  /** One role */
  'GET /admin/roles/{id}': {
    one: Role;
  };
  /** Change a role; only the fields given */
  'PUT /admin/roles/{id}': {
    body?: {
      name?: string;
      description?: string;
      permissions?: string[];
      rate_limit_multiplier?: number;
    };
    one: Role;
  };
  /** Delete a role that no user has */
  'DELETE /admin/roles/{id}': {
    empty: true;
  };
  /** All settings; secrets read "********" */
  'GET /admin/settings': {
    one: Settings;
  };
  /** Change some settings; only the fields given */
  'PUT /admin/settings': {
    body?: {
      general?: {
        name?: string;
        url?: string;
        locale?: string;
        timezone?: string;
        currency?: string;
        registration?: boolean;
      };
      mail?: {
        driver?: 'smtp' | 'log';
        host?: string;
        port?: number;
        encryption?: 'none' | 'starttls' | 'tls';
        username?: string;
        /** reads "********"; writing that back keeps it */
        password?: string;
        from_address?: string;
        from_name?: string;
      };
      security?: {
        require_2fa?: 'none' | 'admins' | 'all';
        sessions_per_user?: number;
      };
      billing?: {
        /** percent */
        tax_rate?: number;
        tax_inclusive?: boolean;
        invoice_days_before?: number;
        price_change_days?: number;
        suspend_days?: number;
        terminate_days?: number;
        invoice_prefix?: string;
        /** percent by country, like DE=19,FR=20; from a day on like EE=24@2025-07-01 */
        tax_rates?: string;
        payment_days?: number;
        reminder_days?: number;
        seller_name?: string;
        seller_address?: string;
        seller_vat_number?: string;
        bank_account_holder?: string;
        /** for transfers; spaces are removed */
        bank_iban?: string;
        bank_bic?: string;
        /** what else a transfer needs */
        bank_instructions?: string;
        tax_scheme?: 'none' | 'fixed' | 'eu';
        /** ISO 3166-1 alpha-2 */
        seller_country?: string;
        /** further ones, separated by commas */
        seller_vat_numbers?: string;
        /** consumers in the EU pay the rate of their country */
        oss?: boolean;
        vat_check?: 'off' | 'accept' | 'tax';
        /** PDFs of invoices hold the invoice as XML; needs the seller_ settings */
        e_invoice?: boolean;
        seller_postcode?: string;
        seller_city?: string;
        /** of the tax office, without a VAT number */
        seller_tax_number?: string;
        /** whom buyers ask; for XRechnung, as the next two */
        seller_contact?: string;
        seller_phone?: string;
        seller_email?: string;
        /** 0: none */
        datev_consultant?: number;
        /** 0: none */
        datev_client?: number;
        /** in which the fiscal year begins */
        datev_fiscal_month?: number;
        datev_account_digits?: number;
        /** by account of the journal, like cash=1360,cash:manual=1200,tax:DE:1900=1776 */
        datev_accounts?: string;
      };
      servers?: {
        default_memory?: number;
        default_disk?: number;
        default_cpu?: number;
        /** lines a socket gets on connect */
        console_history?: number;
      };
      brand?: {
        /** empty: the name of the panel */
        name?: string;
        /** a PNG, WebP or JPEG of at most 256 KiB as a data URL; empty for none */
        logo?: string;
        /** like #1a2b3c; empty for the console's own */
        primary_colour?: string;
        /** like #1a2b3c; empty for the console's own */
        accent_colour?: string;
      };
    };
    one: Settings;
  };
  /** Send a test mail and wait for what the mail server says */
  'POST /admin/settings/email/test': {
    body?: {
      /** without it the mail goes to you */
      to?: string;
    };
    one: {
      accepted: boolean;
      message_id: string;
    };
  };
  /** Names of all mails, and the languages that they are written in */
  'GET /admin/settings/mail/templates': {
    one: {
      names: string[];
      /** BCP 47 */
      languages: string[];
    };
  };
  /** A mail with sample values, as it would be sent */
  'GET /admin/settings/mail/templates/{name}': {
    query?: {
      /** BCP 47; without it the panel's, English for one without texts */
      language?: string;
    };
    one: {
      subject: string;
      text: string;
      html: string;
    };
  };
  /** The test clock, and whether all that is due has run */
  'GET /admin/test-clock': {
    one: TestClock;
  };
  /** Move the test clock forward, in steps of at most a day; it has arrived when it is settled */
  'POST /admin/test-clock': {
    body?: {
      /** at most 400 days */
      advance_seconds?: number;
      /** instead of `advance_seconds`: at most 400 days ahead */
      to?: string;
    };
    one: TestClock;
  };
  /** What everybody did, newest first */
  'GET /admin/activity': {
    query?: {
      /** page number, from 1 */
      page?: number;
      /** items per page */
      per_page?: number;
      /** literal, case-insensitive part of the name */
      search?: string;
      /** created_at; several with commas between them, a leading - for descending */
      sort?: string;
      /** only what this user did, or what is about this user */
      user_id?: string;
      /** only what is about this server */
      server_id?: string;
    };
    list: ActivityEvent;
  };
  /** How many servers and users there are, and how full the nodes are */
  'GET /admin/overview': {
    one: Overview;
  };
  /** The console: an upgrade to a WebSocket */
  'GET /servers/{id}/ws': {
    query?: {
      /** send only lines after this `seq` */
      after?: number;
    };
    socket: true;
  };
  /** This API as an OpenAPI 3.1 document */
  'GET /openapi.json': {
    raw: 'application/json';
  };
}
