/* SPDX-License-Identifier: MIT */
/*
 * YCSB on LevelDB, through buffered reads, by threads.
 *
 *   store make FOLDER ROWS
 *   store run FOLDER ROWS WORKLOAD THREADS WARM OPERATIONS SEED [ADVICE]
 *
 * WORKLOAD: a to f of YCSB; `uniform`, all reads; `uniform-rw`, half of them updates; `get-scan`, where two more threads
 * scan as long as the others read; `trace:FILE`, which reads the rows of the file, u32, in its order. ADVICE of get-scan tells the kernel of the files that scans read: `sequential`,
 * `noreuse`, or `dontneed`. It prints "ready" and the ids of the scanning threads, waits for a line, and prints JSON.
 *
 * LevelDB maps its first thousand tables; the environment below reads them by pread.
 */
#include <algorithm>
#include <atomic>
#include <cinttypes>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <leveldb/cache.h>
#include <leveldb/db.h>
#include <leveldb/env.h>
#include <leveldb/options.h>

namespace {

constexpr size_t VALUE = 200, MOST_SCANNED = 100, LONG_SCAN = 2000, SCANNERS = 2;
constexpr size_t TABLE = 512 << 10, OPEN_TABLES = 37, OTHER_FILES = 10, PAGE = 4096;
constexpr uint64_t SETTLING = 200;
constexpr double SKEW = 0.99;

[[noreturn]] void die(const char *what, const std::string &why)
{
	fprintf(stderr, "store: %s: %s\n", what, why.c_str());
	exit(1);
}

void check(const leveldb::Status &status)
{
	if (!status.ok())
		die("leveldb", status.ToString());
}

uint64_t nanoseconds()
{
	timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return static_cast<uint64_t>(now.tv_sec) * 1000000000 + static_cast<uint64_t>(now.tv_nsec);
}

thread_local bool scanning;
std::string advice;

/* A table. Scans have an open file of their own, since advice is kept with it. */
class Table : public leveldb::RandomAccessFile {
public:
	explicit Table(const std::string &name) : points_(open_one(name)), scans_(open_one(name))
	{
		if (advice == "sequential")
			posix_fadvise(scans_, 0, 0, POSIX_FADV_SEQUENTIAL);
		else if (advice == "noreuse")
			posix_fadvise(scans_, 0, 0, POSIX_FADV_NOREUSE);
	}
	~Table() override
	{
		close(points_);
		close(scans_);
	}
	leveldb::Status Read(uint64_t offset, size_t size, leveldb::Slice *result, char *scratch) const override
	{
		ssize_t got = pread(scanning ? scans_ : points_, scratch, size, static_cast<off_t>(offset));

		if (got < 0)
			return leveldb::Status::IOError(strerror(errno));
		/* Whole pages only: the next block begins in the last one. */
		if (scanning && advice == "dontneed") {
			off_t first = static_cast<off_t>(offset / PAGE * PAGE), end = static_cast<off_t>((offset + size) / PAGE * PAGE);

			if (end > first)
				posix_fadvise(scans_, first, end - first, POSIX_FADV_DONTNEED);
		}
		*result = leveldb::Slice(scratch, static_cast<size_t>(got));
		return leveldb::Status::OK();
	}

private:
	static int open_one(const std::string &name)
	{
		int fd = open(name.c_str(), O_RDONLY | O_CLOEXEC);

		if (fd < 0)
			die(name.c_str(), strerror(errno));
		return fd;
	}
	int points_, scans_;
};

class ByPread : public leveldb::EnvWrapper {
public:
	ByPread() : EnvWrapper(leveldb::Env::Default())
	{
	}
	leveldb::Status NewRandomAccessFile(const std::string &name, leveldb::RandomAccessFile **file) override
	{
		*file = new Table(name);
		return leveldb::Status::OK();
	}
};

/* Zipf-distributed ranks below `rows`, as YCSB makes them (Gray et al., SIGMOD '94). The sum is exact for the first ranks. */
class Zipf {
public:
	explicit Zipf(uint64_t rows) : rows_(static_cast<double>(rows)), all_(sum(rows))
	{
		eta_ = (1 - std::pow(2 / rows_, 1 - SKEW)) / (1 - sum(2) / all_);
	}
	uint64_t operator()(double u) const
	{
		double scaled = u * all_;

		if (scaled < 1)
			return 0;
		if (scaled < sum(2))
			return 1;
		return std::min(static_cast<uint64_t>(rows_ * std::pow(eta_ * u - eta_ + 1, 1 / (1 - SKEW))),
				static_cast<uint64_t>(rows_) - 1);
	}

private:
	static double sum(uint64_t rows)
	{
		constexpr uint64_t EXACT = 1000;
		double total = 0, last = static_cast<double>(std::min(rows, EXACT)), end = static_cast<double>(rows);

		for (uint64_t rank = 1; rank <= std::min(rows, EXACT); rank++)
			total += std::pow(static_cast<double>(rank), -SKEW);
		if (rows > EXACT) /* Euler and Maclaurin */
			total += (std::pow(end, 1 - SKEW) - std::pow(last, 1 - SKEW)) / (1 - SKEW) +
				 (std::pow(end, -SKEW) - std::pow(last, -SKEW)) / 2;
		return total;
	}
	double rows_, all_, eta_;
};

/* Mixes the bits (the finalizer of MurmurHash3), so that the ranks lie anywhere, and bytes look random. */
uint64_t mixed(uint64_t number)
{
	number ^= number >> 33;
	number *= 0xff51afd7ed558ccdULL;
	number ^= number >> 33;
	number *= 0xc4ceb9fe1a85ec53ULL;
	return number ^ number >> 33;
}

std::string key_of(uint64_t row)
{
	char text[24];

	snprintf(text, sizeof(text), "%016" PRIu64, row);
	return text;
}

std::string value_of(uint64_t seed)
{
	std::string value(VALUE, '\0');

	for (size_t at = 0; at < VALUE; at += 8) {
		uint64_t word = mixed(seed + at);

		memcpy(&value[at], &word, 8);
	}
	return value;
}

std::unique_ptr<leveldb::DB> opened(const std::string &folder, leveldb::Env *env)
{
	static std::unique_ptr<leveldb::Cache> none(leveldb::NewLRUCache(128 << 10));
	leveldb::Options options;
	leveldb::DB *db = nullptr;

	options.env = env;
	options.create_if_missing = true;
	options.compression = leveldb::kNoCompression;
	options.max_file_size = TABLE;
	options.max_open_files = OPEN_TABLES + OTHER_FILES;
	options.write_buffer_size = TABLE;
	options.block_cache = none.get();
	check(leveldb::DB::Open(options, folder, &db));
	return std::unique_ptr<leveldb::DB>(db);
}

/* What a workload does, in percent; the rest are scans. */
struct Mix {
	const char *name;
	unsigned int read, update, insert, modify;
	enum { ZIPF, LATEST, UNIFORM, TRACE } keys;
};
const Mix mixes[] = {
	{ "a", 50, 50, 0, 0, Mix::ZIPF },	{ "b", 95, 5, 0, 0, Mix::ZIPF },
	{ "c", 100, 0, 0, 0, Mix::ZIPF },	{ "d", 95, 0, 5, 0, Mix::LATEST },
	{ "e", 0, 0, 5, 0, Mix::ZIPF },		{ "f", 50, 0, 0, 50, Mix::ZIPF },
	{ "uniform", 100, 0, 0, 0, Mix::UNIFORM }, { "uniform-rw", 50, 50, 0, 0, Mix::UNIFORM },
	{ "get-scan", 100, 0, 0, 0, Mix::ZIPF },   { "trace", 100, 0, 0, 0, Mix::TRACE },
};

struct Run {
	leveldb::DB *db;
	const Mix *mix;
	Zipf zipf;
	uint64_t loaded;
	std::atomic<uint64_t> rows;
	std::atomic<bool> begun{ false }, counted{ false }, ended{ false };
	std::atomic<uint64_t> scans{ 0 };
	std::vector<uint32_t> trace{};
	std::atomic<size_t> requested{ 0 };
	pthread_barrier_t line{};
};

class Client {
public:
	Client(Run &run, uint64_t seed, size_t operations) : run_(run), state_(mixed(seed)), took_(operations)
	{
	}
	void operate(size_t times, bool counted)
	{
		for (size_t i = 0; i < times; i++) {
			uint64_t begun = nanoseconds();

			one();
			if (counted)
				took_[i] = nanoseconds() - begun;
		}
	}
	void scan(size_t rows)
	{
		std::unique_ptr<leveldb::Iterator> at(run_.db->NewIterator(leveldb::ReadOptions()));

		for (at->Seek(key_of(row())); at->Valid() && rows; at->Next())
			rows--;
		check(at->status());
	}
	/* Read rows here and there, so that this thread's heap and the open tables are there before the limit is set. */
	void settle()
	{
		for (uint64_t i = 1; i <= SETTLING; i++)
			get(mixed(i + state_) % run_.loaded);
	}
	const std::vector<uint64_t> &took() const
	{
		return took_;
	}

private:
	double random()
	{
		state_ += 0x9e3779b97f4a7c15ULL;
		return static_cast<double>(mixed(state_) >> 11) / 9007199254740992.0;
	}
	uint64_t row()
	{
		switch (run_.mix->keys) {
		case Mix::TRACE:
			return run_.trace[run_.requested++ % run_.trace.size()];
		case Mix::UNIFORM:
			return static_cast<uint64_t>(random() * static_cast<double>(run_.loaded));
		case Mix::LATEST: {
			uint64_t rows = run_.rows, back = run_.zipf(random());

			return rows - 1 - std::min(back, rows - 1);
		}
		default:
			return mixed(run_.zipf(random())) % run_.loaded;
		}
	}
	void get(uint64_t row)
	{
		leveldb::Status status = run_.db->Get(leveldb::ReadOptions(), key_of(row), &value_);

		/* An insert counts before it is there. */
		if (!(status.IsNotFound() && row >= run_.loaded))
			check(status);
	}
	void put(uint64_t row)
	{
		check(run_.db->Put(leveldb::WriteOptions(), key_of(row), value_of(state_)));
	}
	void one()
	{
		unsigned int dice = static_cast<unsigned int>(random() * 100);
		const Mix &mix = *run_.mix;

		if (dice < mix.read)
			return get(row());
		if ((dice -= mix.read) < mix.update)
			return put(row());
		if ((dice -= mix.update) < mix.insert)
			return put(run_.rows++);
		if ((dice -= mix.insert) < mix.modify) {
			uint64_t chosen = row();

			get(chosen);
			return put(chosen);
		}
		scan(1 + static_cast<size_t>(random() * MOST_SCANNED));
	}
	Run &run_;
	uint64_t state_;
	std::vector<uint64_t> took_;
	std::string value_;
};

uint64_t pages_read()
{
	FILE *file = fopen("/proc/self/io", "re");
	uint64_t bytes = 0;
	char line[128];

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "read_bytes: %" SCNu64, &bytes) == 1)
			break;
	if (!file || fclose(file))
		die("/proc/self/io", strerror(errno));
	return bytes / PAGE;
}

void scan_until_the_end(Run &run, uint64_t seed, std::atomic<int> &id)
{
	Client client(run, seed, 0);

	scanning = true;
	id = gettid();
	while (!run.begun)
		usleep(1000);
	while (!run.ended) {
		client.scan(LONG_SCAN);
		if (run.counted)
			run.scans++;
	}
}

/* All clients and the main thread meet between the parts. */
void run_client(Run &run, Client &client, size_t warm, size_t operations)
{
	if (run.mix->keys == Mix::TRACE) {
		client.settle();
		pthread_barrier_wait(&run.line);
	}
	pthread_barrier_wait(&run.line);
	client.operate(warm, false);
	pthread_barrier_wait(&run.line);
	pthread_barrier_wait(&run.line);
	client.operate(operations, true);
	pthread_barrier_wait(&run.line);
}

std::vector<uint32_t> read_trace(const std::string &name, uint64_t rows)
{
	FILE *file = fopen(name.c_str(), "rbe");
	std::vector<uint32_t> trace;
	uint32_t row;

	while (file && fread(&row, sizeof(row), 1, file) == 1) {
		if (row >= rows)
			die(name.c_str(), "a row is not in the store");
		trace.push_back(row);
	}
	if (!file || fclose(file) || trace.empty())
		die(name.c_str(), "no rows can be read");
	return trace;
}

double milliseconds(const std::vector<uint64_t> &took, double share)
{
	return static_cast<double>(took[std::min(took.size() - 1, static_cast<size_t>(share * static_cast<double>(took.size())))]) / 1e6;
}

void measure(const std::string &folder, uint64_t rows, const std::string &workload, size_t threads, size_t warm, size_t operations,
	     uint64_t seed)
{
	const std::string name = workload.substr(0, workload.find(':'));
	const Mix *mix = std::find_if(std::begin(mixes), std::end(mixes), [&](const Mix &one) { return name == one.name; });
	size_t scanners = workload == "get-scan" ? SCANNERS : 0;
	ByPread env;

	if (mix == std::end(mixes))
		die("no such workload", workload);
	std::unique_ptr<leveldb::DB> db = opened(folder, &env);
	Run run{ .db = db.get(), .mix = mix, .zipf = Zipf(rows), .loaded = rows, .rows = rows };
	if (mix->keys == Mix::TRACE)
		run.trace = read_trace(workload.substr(name.size() + 1), rows);
	std::vector<std::unique_ptr<Client>> clients;
	std::vector<std::atomic<int>> ids(scanners);
	std::vector<std::thread> running;
	std::vector<uint64_t> took;

	pthread_barrier_init(&run.line, nullptr, static_cast<unsigned int>(threads + 1));
	for (size_t i = 0; i < scanners; i++)
		running.emplace_back(scan_until_the_end, std::ref(run), seed * 1000 + 500 + i, std::ref(ids[i]));
	for (size_t i = 0; i < threads; i++) {
		clients.push_back(std::make_unique<Client>(run, seed * 1000 + i, operations / threads));
		running.emplace_back(run_client, std::ref(run), std::ref(*clients[i]), warm / threads, operations / threads);
	}
	if (mix->keys == Mix::TRACE)
		pthread_barrier_wait(&run.line);
	printf("ready");
	for (std::atomic<int> &id : ids) {
		while (!id)
			usleep(1000);
		printf(" %d", id.load());
	}
	puts("");
	fflush(stdout);
	if (getchar() == EOF)
		die("stdin", "no line came");
	run.begun = true;
	pthread_barrier_wait(&run.line);
	pthread_barrier_wait(&run.line);
	uint64_t pages = pages_read(), begun = nanoseconds();
	run.counted = true;
	pthread_barrier_wait(&run.line);
	pthread_barrier_wait(&run.line);
	uint64_t scans = run.scans;
	double seconds = static_cast<double>(nanoseconds() - begun) / 1e9;
	pages = pages_read() - pages;
	run.ended = true;
	for (std::thread &one : running)
		one.join();
	for (const std::unique_ptr<Client> &client : clients)
		took.insert(took.end(), client->took().begin(), client->took().end());
	std::sort(took.begin(), took.end());
	printf("{\"operations\": %zu, \"seconds\": %.6f, \"pages\": %" PRIu64 ", \"scans\": %" PRIu64
	       ", \"p50_ms\": %.4f, \"p99_ms\": %.4f}\n",
	       took.size(), seconds, pages, scans, milliseconds(took, 0.5), milliseconds(took, 0.99));
}

void make(const std::string &folder, uint64_t rows)
{
	std::unique_ptr<leveldb::DB> db = opened(folder, leveldb::Env::Default());

	for (uint64_t row = 0; row < rows; row++)
		check(db->Put(leveldb::WriteOptions(), key_of(row), value_of(row)));
	db->CompactRange(nullptr, nullptr);
}

uint64_t number(const char *word)
{
	char *end;
	uint64_t value = strtoull(word, &end, 10);

	if (*end || !value)
		die("not a number above 0", word);
	return value;
}

} // namespace

int main(int argc, char **argv)
{
	std::string what = argc > 1 ? argv[1] : "";

	if (what == "make" && argc == 4) {
		make(argv[2], number(argv[3]));
	} else if (what == "run" && (argc == 9 || argc == 10)) {
		advice = argc == 10 ? argv[9] : "";
		if (!advice.empty() && advice != "sequential" && advice != "noreuse" && advice != "dontneed")
			die("no such advice", advice);
		measure(argv[2], number(argv[3]), argv[4], number(argv[5]), number(argv[6]), number(argv[7]), number(argv[8]));
	} else {
		fputs("usage: store make FOLDER ROWS | store run FOLDER ROWS WORKLOAD THREADS WARM OPERATIONS SEED [ADVICE]\n", stderr);
		return 2;
	}
	return 0;
}
