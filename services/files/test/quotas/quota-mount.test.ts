import { expect } from 'chai';
import { findQuotaMount } from '../../src/quotas/quota-mount.js';

const mountinfo = `22 1 254:1 / / rw,relatime - ext4 /dev/vda1 rw,errors=remount-ro
23 22 0:5 / /dev rw,relatime shared:2 - devtmpfs dev rw,size=229560k
24 22 254:16 / /srv/game\\040files rw,relatime shared:3 master:1 - ext4 /dev/vdb rw,prjquota
25 22 254:32 / /mnt/xfs rw,relatime - xfs /dev/vdc rw,attr2,inode64,prjquota
26 22 254:48 / /mnt/unheld rw,relatime - xfs /dev/vdd rw,attr2,inode64,pqnoenforce
27 22 0:40 / /mnt/btrfs rw,relatime - btrfs /dev/vde rw,space_cache=v2
28 22 0:41 / /mnt/overlay rw,relatime - overlay overlay rw,lowerdir=/a,upperdir=/b
29 22 254:32 /panel /var/lib/panel rw,relatime - xfs /dev/vdc rw,attr2,inode64,prjquota
30 29 0:42 / /var/lib/panel/servers rw,relatime - tmpfs tmpfs rw
31 22 254:64 / /mnt/twice rw,relatime - ext4 /dev/vdf rw
32 22 254:16 /sub /mnt/twice rw,relatime - ext4 /dev/vdb rw,prjquota
`;

describe('findQuotaMount', () => {
  it('finds ext4 below a mount point with a space', () => {
    expect(findQuotaMount(mountinfo, '/srv/game files/servers')).to.deep.equal({
      fileSystem: 'ext4',
      mountPoint: '/srv/game files',
    });
  });

  it('finds the first mount of a file system behind a bind mount', () => {
    expect(findQuotaMount(mountinfo, '/var/lib/panel/uploads')).to.deep.equal({
      fileSystem: 'xfs',
      mountPoint: '/mnt/xfs',
    });
  });

  it('takes the last of two mounts on one directory', () => {
    expect(findQuotaMount(mountinfo, '/mnt/twice')).to.deep.equal({
      fileSystem: 'ext4',
      mountPoint: '/srv/game files',
    });
  });

  it('does not take a directory whose name only begins like a mount point', () => {
    expect(findQuotaMount(mountinfo, '/mnt/xfs-old')).to.equal('/ is mounted without prjquota');
  });

  for (const [path, problem] of [
    ['/home/panel', '/ is mounted without prjquota'],
    ['/mnt/unheld/servers', '/mnt/unheld is mounted without prjquota'],
    ['/mnt/btrfs', '/mnt/btrfs is on btrfs, not on ext4 or XFS'],
    ['/mnt/overlay', '/mnt/overlay is on overlay, not on ext4 or XFS'],
    ['/var/lib/panel/servers', '/var/lib/panel/servers is on tmpfs, not on ext4 or XFS'],
  ] as const) {
    it(`finds no quotas for ${path}`, () => {
      expect(findQuotaMount(mountinfo, path)).to.equal(problem);
    });
  }

  it('says that a path is on no known mount', () => {
    expect(findQuotaMount('', '/srv')).to.equal('/srv is on no known mount');
  });
});
