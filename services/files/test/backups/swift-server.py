"""An OpenStack Swift of one disk in one process, with its S3 API: swift-server.py DIRECTORY USER KEY. Prints its port."""
import os
import socket
import sys

import eventlet

from eventlet import tpool, wsgi  # noqa: E402

eventlet.monkey_patch()

from swift.common import utils  # noqa: E402

utils.HASH_PATH_PREFIX, utils.HASH_PATH_SUFFIX = b"", b"panel"
utils.validate_hash_conf = lambda: None

from swift.account.server import AccountController  # noqa: E402
from swift.common import storage_policy  # noqa: E402
from swift.common.http_protocol import SwiftHttpProtocol  # noqa: E402
from swift.common.ring import RingBuilder  # noqa: E402
from swift.common.wsgi import loadapp  # noqa: E402
from swift.container.server import ContainerController  # noqa: E402
from swift.obj.server import ObjectController  # noqa: E402

directory, user, key = sys.argv[1:]
os.makedirs(os.path.join(directory, "disk"))
conf = {"devices": directory, "swift_dir": directory, "mount_check": "false", "disable_fallocate": "true"}


class NoLog:
    def write(self, *_):
        pass


def listen():
    sock = eventlet.listen(("127.0.0.1", 0))
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return sock


def serve(sock, app):
    logger = utils.get_logger({"log_level": "CRITICAL"})
    eventlet.spawn(
        wsgi.server, sock, app, NoLog(), protocol=SwiftHttpProtocol, log_output=False, capitalize_response_headers=False
    )
    return logger


def ring(name, port):
    builder = RingBuilder(1, 1, 0)
    builder.add_dev({"region": 1, "zone": 1, "weight": 1, "ip": "127.0.0.1", "port": port, "device": "disk"})
    builder.rebalance()
    builder.get_ring().save(os.path.join(directory, name + ".ring.gz"))


sockets = {name: listen() for name in ("account", "container", "object")}
for name, sock in sockets.items():
    ring(name, sock.getsockname()[1])
storage_policy.reload_storage_policies()
for name, controller in (("account", AccountController), ("container", ContainerController), ("object", ObjectController)):
    serve(sockets[name], controller(conf))

proxy = os.path.join(directory, "proxy.conf")
with open(proxy, "w") as file:
    file.write(
        f"""[DEFAULT]
swift_dir = {directory}
log_level = CRITICAL
[pipeline:main]
pipeline = catch_errors gatekeeper cache listing_formats bulk s3api tempauth slo dlo proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
allow_account_management = true
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:gatekeeper]
use = egg:swift#gatekeeper
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:1
[filter:listing_formats]
use = egg:swift#listing_formats
[filter:bulk]
use = egg:swift#bulk
[filter:s3api]
use = egg:swift#s3api
location = us-east-1
[filter:tempauth]
use = egg:swift#tempauth
user_{user} = {key} .admin
[filter:slo]
use = egg:swift#slo
[filter:dlo]
use = egg:swift#dlo
"""
    )
front = listen()
serve(front, loadapp(proxy))
print(front.getsockname()[1], flush=True)
# it ends with the process that has started it
tpool.execute(sys.stdin.buffer.read)
