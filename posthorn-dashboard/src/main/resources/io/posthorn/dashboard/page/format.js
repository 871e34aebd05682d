// Figures and times as people read them.

const WHOLE = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const DATE_TIME = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });
const CLOCK = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });

const SECOND = 1;
const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export function whole(number) {
  return WHOLE.format(number);
}

/** `1 dead letter`, `2 dead letters`. */
export function counted(number, one, many = one + 's') {
  return `${whole(number)} ${number === 1 ? one : many}`;
}

/** Per second: one decimal below 100, none above. */
export function rate(perSecond) {
  if (perSecond === undefined || perSecond === null) {
    return '–';
  }
  return perSecond > 0 && perSecond < 99.95 ? perSecond.toFixed(1) : whole(perSecond);
}

export function bytes(count) {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let unit = 0;
  let size = count;
  while (size >= 1000 && unit < units.length - 1) {
    size /= 1000;
    unit++;
  }
  return `${unit === 0 || size >= 100 ? whole(size) : size.toFixed(1)} ${units[unit]}`;
}

/** `850 ms`, `12 s`, `3 min 20 s`, `2 h 5 min`, `4 d 3 h`. */
export function duration(seconds) {
  if (seconds < 0.0005) {
    return '0 s';
  }
  if (seconds < SECOND) {
    return `${whole(seconds * 1000)} ms`;
  }
  if (seconds < 10) {
    return `${Number(seconds.toFixed(1))} s`;
  }
  if (seconds < MINUTE) {
    return `${Math.floor(seconds)} s`;
  }
  if (seconds < HOUR) {
    return two(seconds, MINUTE, 'min', SECOND, 's');
  }
  return seconds < DAY ? two(seconds, HOUR, 'h', MINUTE, 'min') : two(seconds, DAY, 'd', HOUR, 'h');
}

function two(seconds, large, largeName, small, smallName) {
  const rest = Math.floor((seconds % large) / small);
  return `${Math.floor(seconds / large)} ${largeName}${rest ? ` ${rest} ${smallName}` : ''}`;
}

export function dateTime(instant) {
  return DATE_TIME.format(new Date(instant));
}

export function clock(millis) {
  return CLOCK.format(new Date(millis));
}

/** `just now`, `3 min ago`, `in 2 h`. */
export function ago(instant) {
  const seconds = (Date.now() - new Date(instant).getTime()) / 1000;
  if (Math.abs(seconds) < 5) {
    return 'just now';
  }
  return seconds > 0 ? `${coarse(seconds)} ago` : `in ${coarse(-seconds)}`;
}

function coarse(seconds) {
  if (seconds < MINUTE) {
    return `${Math.floor(seconds)} s`;
  }
  if (seconds < HOUR) {
    return `${Math.floor(seconds / MINUTE)} min`;
  }
  return seconds < 2 * DAY ? `${Math.floor(seconds / HOUR)} h` : `${Math.floor(seconds / DAY)} d`;
}
