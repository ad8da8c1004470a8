/// The script of ``LinkPage``: QR codes (ISO/IEC 18004) of bytes with error correction level L, and the forms of links.
enum LinkScript {
  static let text = #"""
    'use strict';
    // Error correction bytes of a block, and blocks, of versions 1 to 40 at level L.
    const checkBytes = [7,10,15,20,26,18,20,24,30,18,20,24,26,30,22,24,28,30,28,28,28,28,30,30,26,28,30,30,30,30,30,30,30,
      30,30,30,30,30,30,30];
    const blockCounts = [1,1,1,1,1,2,2,2,2,4,4,4,4,4,6,6,6,6,7,8,8,9,9,10,12,12,12,13,14,15,16,17,18,19,19,20,21,22,24,25];
    // Modules that carry data.
    function capacity(version) {
      let count = (16 * version + 128) * version + 64;
      if (version >= 2) {
        const marks = Math.floor(version / 7) + 2;
        count -= (25 * marks - 10) * marks - 55;
        if (version >= 7) count -= 36;
      }
      return count;
    }
    function markPlaces(version) {
      if (version === 1) return [];
      const count = Math.floor(version / 7) + 2, last = 4 * version + 10;
      const step = version === 32 ? 26 : Math.ceil((4 * version + 4) / (2 * count - 2)) * 2;
      const places = [6];
      for (let at = last; places.length < count; at -= step) places.splice(1, 0, at);
      return places;
    }
    function product(x, y) {
      let z = 0;
      for (let i = 7; i >= 0; i--) {
        z = (z << 1) ^ ((z >>> 7) * 0x11d);
        z ^= ((y >>> i) & 1) * x;
      }
      return z;
    }
    function divisor(degree) {
      const result = new Array(degree).fill(0);
      result[degree - 1] = 1;
      let root = 1;
      for (let i = 0; i < degree; i++) {
        for (let j = 0; j < degree; j++) {
          result[j] = product(result[j], root);
          if (j + 1 < degree) result[j] ^= result[j + 1];
        }
        root = product(root, 2);
      }
      return result;
    }
    function remainder(data, by) {
      const result = new Array(by.length).fill(0);
      for (const byte of data) {
        const factor = byte ^ result.shift();
        result.push(0);
        by.forEach((x, i) => { result[i] ^= product(x, factor); });
      }
      return result;
    }
    // All bytes in the order in which they are drawn; null where the text is too long.
    function codeBytes(text) {
      const content = new TextEncoder().encode(text);
      for (let version = 1; version <= 40; version++) {
        const all = Math.floor(capacity(version) / 8), check = checkBytes[version - 1], blocks = blockCounts[version - 1];
        const room = all - check * blocks, lengthBits = version < 10 ? 8 : 16;
        if (4 + lengthBits + 8 * content.length > 8 * room) continue;
        const bits = [];
        const add = (value, count) => { for (let i = count - 1; i >= 0; i--) bits.push((value >>> i) & 1); };
        add(4, 4);
        add(content.length, lengthBits);
        content.forEach((byte) => add(byte, 8));
        add(0, Math.min(4, 8 * room - bits.length));
        add(0, (8 - bits.length % 8) % 8);
        const data = [];
        for (let i = 0; i < bits.length; i += 8) data.push(bits.slice(i, i + 8).reduce((sum, bit) => sum * 2 + bit, 0));
        for (let pad = 0xec; data.length < room; pad ^= 0xec ^ 0x11) data.push(pad);
        const by = divisor(check), short = Math.floor(all / blocks) - check, longFrom = blocks - all % blocks;
        const parts = [];
        for (let i = 0, at = 0; i < blocks; i++) {
          const size = short + (i < longFrom ? 0 : 1), part = data.slice(at, at + size);
          at += size;
          parts.push([part, remainder(part, by)]);
        }
        const result = [];
        for (let i = 0; i <= short; i++) for (const part of parts) if (i < part[0].length) result.push(part[0][i]);
        for (let i = 0; i < check; i++) for (const part of parts) result.push(part[1][i]);
        return { version, result };
      }
      return null;
    }
    // The modules, true where dark.
    function qrCode(text) {
      const bytes = codeBytes(text);
      if (!bytes) return null;
      const version = bytes.version, size = 4 * version + 17;
      const dark = Array.from({ length: size }, () => new Array(size).fill(false));
      const fixed = Array.from({ length: size }, () => new Array(size).fill(false));
      const set = (x, y, isDark) => { dark[y][x] = isDark; fixed[y][x] = true; };
      for (let i = 0; i < size; i++) { set(6, i, i % 2 === 0); set(i, 6, i % 2 === 0); }
      for (const [cx, cy] of [[3, 3], [size - 4, 3], [3, size - 4]]) {
        for (let dy = -4; dy <= 4; dy++) for (let dx = -4; dx <= 4; dx++) {
          const far = Math.max(Math.abs(dx), Math.abs(dy)), x = cx + dx, y = cy + dy;
          if (x >= 0 && x < size && y >= 0 && y < size) set(x, y, far !== 2 && far !== 4);
        }
      }
      const places = markPlaces(version), last = places.length - 1;
      places.forEach((cx, i) => places.forEach((cy, j) => {
        if ((i === 0 && j === 0) || (i === 0 && j === last) || (i === last && j === 0)) return;
        for (let dy = -2; dy <= 2; dy++) for (let dx = -2; dx <= 2; dx++) {
          set(cx + dx, cy + dy, Math.max(Math.abs(dx), Math.abs(dy)) !== 1);
        }
      }));
      const drawFormat = (mask) => {
        const value = (1 << 3) | mask;
        let rest = value;
        for (let i = 0; i < 10; i++) rest = (rest << 1) ^ ((rest >>> 9) * 0x537);
        const bits = ((value << 10) | rest) ^ 0x5412, bit = (i) => ((bits >>> i) & 1) === 1;
        for (let i = 0; i <= 5; i++) set(8, i, bit(i));
        set(8, 7, bit(6)); set(8, 8, bit(7)); set(7, 8, bit(8));
        for (let i = 9; i < 15; i++) set(14 - i, 8, bit(i));
        for (let i = 0; i < 8; i++) set(size - 1 - i, 8, bit(i));
        for (let i = 8; i < 15; i++) set(8, size - 15 + i, bit(i));
        set(8, size - 8, true);
      };
      drawFormat(0);
      if (version >= 7) {
        let rest = version;
        for (let i = 0; i < 12; i++) rest = (rest << 1) ^ ((rest >>> 11) * 0x1f25);
        const bits = (version << 12) | rest;
        for (let i = 0; i < 18; i++) {
          const a = size - 11 + i % 3, b = Math.floor(i / 3), isDark = ((bits >>> i) & 1) === 1;
          set(a, b, isDark); set(b, a, isDark);
        }
      }
      let at = 0;
      for (let right = size - 1; right >= 1; right -= 2) {
        if (right === 6) right = 5;
        for (let step = 0; step < size; step++) for (let j = 0; j < 2; j++) {
          const x = right - j, y = ((right + 1) & 2) === 0 ? size - 1 - step : step;
          if (fixed[y][x] || at >= 8 * bytes.result.length) continue;
          dark[y][x] = ((bytes.result[at >>> 3] >>> (7 - (at & 7))) & 1) === 1;
          at++;
        }
      }
      // One mask for all: readers need no more than that large areas differ, and the codes of links are random.
      for (let y = 0; y < size; y++) for (let x = 0; x < size; x++) {
        if (!fixed[y][x] && (x + y) % 2 === 0) dark[y][x] = !dark[y][x];
      }
      drawFormat(0);
      return dark;
    }
    function draw(canvas, modules) {
      const margin = 4, size = modules.length + 2 * margin, context = canvas.getContext('2d');
      canvas.width = canvas.height = size;
      context.fillStyle = '#fff';
      context.fillRect(0, 0, size, size);
      context.fillStyle = '#000';
      modules.forEach((row, y) => row.forEach((isDark, x) => { if (isDark) context.fillRect(x + margin, y + margin, 1, 1); }));
    }
    // The form that apps open: full links keep their content; short links name the hosts of their server,
    // that of the page first.
    function appLink(name, hash, host) {
      if (name.length > 1) return 'simplex:/' + name + hash;
      const [key, ...rest] = hash.split('?'), query = rest.join('?').split('&').filter((part) => part);
      const others = query.filter((part) => part.startsWith('h=')).map((part) => part.slice(2));
      const hosts = 'h=' + [host, ...others].join('%2C');
      return 'simplex:/' + name + key + '?' + [hosts, ...query.filter((part) => !part.startsWith('h='))].join('&');
    }
    function show() {
      const name = location.pathname.split('/').filter((part) => part && part !== 'index.html')[0] || '';
      if (location.hash.length < 2) return;
      const link = appLink(name, location.hash, location.hostname);
      document.getElementById('open').href = link;
      document.getElementById('command').textContent = '/c ' + location.href;
      const modules = qrCode(location.href);
      if (modules) draw(document.getElementById('code'), modules);
    }
    if (typeof document !== 'undefined') {
      show();
      addEventListener('hashchange', show);
    }
    """#
}
