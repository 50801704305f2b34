// What every page does with a script: says that there is one, and writes times in the reader's zone.

document.documentElement.classList.add("script-on");

export function localTimes(root = document) {
  const format = new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: "medium", timeStyle: "short" });
  for (const time of root.querySelectorAll("time[datetime]")) {
    const moment = new Date(time.dateTime);
    if (!Number.isNaN(moment.valueOf())) {
      time.title = time.dateTime;
      time.textContent = format.format(moment);
    }
  }
}

export const fill = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
