// SPDX-License-Identifier: MIT
import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/**
 * Prints what Caffeine misses: CaffeineMisses IDS CAPACITY...
 *
 * IDS is a file of little-endian 64-bit ids. Pending work of the cache is done after each request, so
 * that no read is lost in its buffers, and the cache never holds more than its capacity.
 */
public final class CaffeineMisses {
    public static void main(String[] arguments) throws IOException {
        for (int at = 1; at < arguments.length; at++) {
            System.out.println(arguments[at] + " " + misses(Path.of(arguments[0]), Long.parseLong(arguments[at])));
        }
    }

    private static long misses(Path ids, long capacity) throws IOException {
        Cache<Long, Boolean> cache = Caffeine.newBuilder().maximumSize(capacity).executor(Runnable::run).build();
        ByteBuffer buffer = ByteBuffer.allocateDirect(1 << 20).order(ByteOrder.LITTLE_ENDIAN);
        long missed = 0;
        try (FileChannel channel = FileChannel.open(ids)) {
            while (channel.read(buffer) >= 0) {
                buffer.flip();
                while (buffer.remaining() >= Long.BYTES) {
                    Long id = buffer.getLong();
                    if (cache.getIfPresent(id) == null) {
                        missed++;
                        cache.put(id, Boolean.TRUE);
                    }
                    cache.cleanUp();
                }
                buffer.compact();
            }
        }
        return missed;
    }
}
